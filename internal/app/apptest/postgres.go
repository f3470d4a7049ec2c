package apptest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Cluster is a PostgreSQL of its own: in a directory of its own, reached through a socket there, and ended with the tests.
type Cluster struct {
	dir     string
	attr    *syscall.SysProcAttr
	command *exec.Cmd
	n       atomic.Int64 // of databases
}

// postgresProgram finds a program of the newest PostgreSQL that is installed.
func postgresProgram(name string) (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		slices.SortFunc(found, func(a, b string) int { return len(a)*1000 - len(b)*1000 + strings.Compare(a, b) })
		return found[len(found)-1], nil
	}
	return exec.LookPath(name)
}

// NewCluster makes one, which is not started.
func NewCluster() (*Cluster, error) {
	initdb, err := postgresProgram("initdb")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL is not installed: %w", err)
	}
	return newCluster(initdb, "-D", "data", "-U", "specgate", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--wal-segsize=1")
}

// Copy is another one with the same databases. c must not run.
func (c *Cluster) Copy() (*Cluster, error) {
	return newCluster("cp", "-R", filepath.Join(c.dir, "data"), "data")
}

// newCluster makes a directory, and has a program make the data in it.
func newCluster(name string, args ...string) (*Cluster, error) {
	// The path of a socket has 107 bytes at most.
	dir, err := os.MkdirTemp("/tmp", "specgate-pg-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, attr: &syscall.SysProcAttr{}}
	dieWithParent(c.attr)
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		who, err := user.Lookup("postgres")
		if err != nil {
			who, err = user.Lookup("nobody")
		}
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		uid, _ := strconv.Atoi(who.Uid)
		gid, _ := strconv.Atoi(who.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			return nil, errors.Join(err, c.Close())
		}
		c.attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	make := exec.Command(name, args...)
	make.Dir, make.SysProcAttr = c.dir, c.attr
	if out, err := make.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w\n%s", name, err, out), c.Close())
	}
	return c, nil
}

// Start starts it, and waits until it answers.
func (c *Cluster) Start() error {
	postgres, err := postgresProgram("postgres")
	if err != nil {
		return fmt.Errorf("PostgreSQL is not installed: %w", err)
	}
	log, err := os.OpenFile(filepath.Join(c.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	c.command = exec.Command(postgres, "-D", "data", "-k", c.dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=1000", "-c", "shared_buffers=16MB")
	c.command.Dir, c.command.SysProcAttr, c.command.Stdout, c.command.Stderr = c.dir, c.attr, log, log
	if err := c.command.Start(); err != nil {
		return err
	}
	for range 300 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		var conn *pgx.Conn
		if conn, err = pgx.Connect(ctx, c.URL("postgres")); err == nil {
			err = conn.Close(ctx)
			cancel()
			return err
		}
		cancel()
		time.Sleep(100 * time.Millisecond)
	}
	text, _ := os.ReadFile(log.Name())
	return fmt.Errorf("PostgreSQL does not answer: %w\n%s", err, text)
}

// URL is the address of a database.
func (c *Cluster) URL(name string) string {
	return fmt.Sprintf("postgres://specgate@/%s?host=%s", name, c.dir)
}

// NewDatabase makes an empty database, and gives its address.
func (c *Cluster) NewDatabase(ctx context.Context) (string, error) {
	name := fmt.Sprintf("specgate%d", c.n.Add(1))
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+name)
	return c.URL(name), errors.Join(err, conn.Close(ctx))
}

// Crash ends it at once, whatever it does. When it is started again it recovers.
func (c *Cluster) Crash() { c.end(syscall.SIGQUIT) }

func (c *Cluster) end(signal os.Signal) {
	if c.command != nil {
		_ = c.command.Process.Signal(signal)
		_ = c.command.Wait()
	}
	c.command = nil
}

// Close ends it and removes what it has.
func (c *Cluster) Close() error {
	if c == nil {
		return nil
	}
	c.end(syscall.SIGINT)
	return os.RemoveAll(c.dir)
}
