package app

import (
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/specgate/specgate/annotate"
)

// metrics are what Prometheus is told. A label is one of few words of specgate's own, or a number, never text from outside.
type metrics struct {
	registry   *prometheus.Registry
	deliveries *prometheus.CounterVec
	jobs       *prometheus.HistogramVec
	left       *prometheus.GaugeVec
	panics     prometheus.Counter
	gaveUp     prometheus.Counter
	recovered  prometheus.Counter
	// redelivered counts events that GitHub could not deliver.
	redelivered *prometheus.CounterVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "specgate_deliveries_total",
			Help: "Requests to the webhook, by event and by what became of them."}, []string{"event", "result"}),
		jobs: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "specgate_job_duration_seconds",
			Help: "Jobs that ended, by what was wanted (check, end or a button) and by result.", Buckets: []float64{0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600}}, []string{"want", "result"}),
		left: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "specgate_github_requests_left",
			Help: "Requests to GitHub that an installation has left, as of the last answer."}, []string{"installation"}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{Name: "specgate_panics_total", Help: "Panics in requests and jobs that were caught."}),
		gaveUp: prometheus.NewCounter(prometheus.CounterOpts{Name: "specgate_failures_total", Help: "Check runs that say that specgate itself failed."}),
		recovered: prometheus.NewCounter(prometheus.CounterOpts{Name: "specgate_jobs_recovered_total",
			Help: "Jobs that were put back because the process that ran them is no more."}),
		redelivered: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "specgate_redeliveries_total",
			Help: "Events that GitHub could not deliver: how often it was asked to send one again (asked), and those that never arrived (lost)."}, []string{"result"}),
	}
	for _, result := range []string{"asked", "lost"} {
		m.redelivered.WithLabelValues(result)
	}
	m.registry.MustRegister(m.redelivered, m.deliveries, m.jobs, m.left, m.panics, m.gaveUp, m.recovered,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

var knownEvents = []string{"pull_request", "check_suite", "check_run", "merge_group", "installation", "installation_repositories", "ping"}

func (m *metrics) delivery(event, result string) {
	if !slices.Contains(knownEvents, event) {
		event = "other"
	}
	m.deliveries.WithLabelValues(event, result).Inc()
}

var knownResults = []string{string(annotate.Success), string(annotate.Failure), string(annotate.ActionRequired), resultNone, resultCancelled}

func (m *metrics) job(want, result string, err error, took time.Duration) {
	switch {
	case err != nil:
		result = "error"
	case !slices.Contains(knownResults, result):
		result = "other"
	}
	m.jobs.WithLabelValues(want, result).Observe(took.Seconds())
}

// stateCollector asks the database when Prometheus asks.
type stateCollector struct {
	db database
}

var (
	queueDesc = prometheus.NewDesc("specgate_queue_jobs", "Jobs in the queue that have not ended, by queue and state.", []string{"queue", "state"}, nil)
	headsDesc = prometheus.NewDesc("specgate_heads", "Heads that are not done, by what is wanted of them, and those that were given up (lost).", []string{"want"}, nil)
	upDesc    = prometheus.NewDesc("specgate_database_up", "1 if the database answers.", nil, nil)
)

func (c stateCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- queueDesc
	ch <- headsDesc
	ch <- upDesc
}

func (c stateCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	type key struct{ queue, state string }
	jobs, heads := map[key]float64{}, map[string]float64{wantCheck: 0, wantEnd: 0, resultLost: 0}
	for _, queue := range []string{queueChecks, queueGitHub} {
		for _, state := range []string{"available", "running", "scheduled", "retryable"} {
			jobs[key{queue, state}] = 0
		}
	}
	err := c.db.within(ctx, func(t tx) error {
		err := t.each(ctx, "SELECT queue, CAST(state AS TEXT), COUNT(*) FROM river_job WHERE state IN ('available', 'running', 'scheduled', 'retryable') GROUP BY 1, 2", nil, func(scan func(...any) error) error {
			var k key
			var n int64
			err := scan(&k.queue, &k.state, &n)
			if _, known := jobs[k]; known {
				jobs[k] = float64(n)
			}
			return err
		})
		if err != nil {
			return err
		}
		return t.each(ctx, "SELECT want, COUNT(*) FROM specgate_heads WHERE done < asked GROUP BY 1 UNION ALL SELECT result, COUNT(*) FROM specgate_heads WHERE done >= asked AND result = 'lost' GROUP BY 1", nil, func(scan func(...any) error) error {
			var want string
			var n int64
			err := scan(&want, &n)
			if _, known := heads[want]; known {
				heads[want] = float64(n)
			}
			return err
		})
	})
	if err != nil {
		ch <- prometheus.MustNewConstMetric(upDesc, prometheus.GaugeValue, 0)
		return
	}
	ch <- prometheus.MustNewConstMetric(upDesc, prometheus.GaugeValue, 1)
	for k, n := range jobs {
		ch <- prometheus.MustNewConstMetric(queueDesc, prometheus.GaugeValue, n, k.queue, k.state)
	}
	for want, n := range heads {
		ch <- prometheus.MustNewConstMetric(headsDesc, prometheus.GaugeValue, n, want)
	}
}
