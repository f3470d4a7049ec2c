//! Dumps what the published parser of Verus, verus_syn, reads in source files, as JSON lines, or times it.
//! The format is described in ../README.md.

use std::fmt::Write as _;
use std::io::{BufRead, Write};
use std::ops::Range;
use std::time::Instant;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::ToTokens;
use verus_syn::parse::{Parse, ParseStream, Parser};
use verus_syn::*;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    // Expressions nest as deep as their author likes, and verus_syn recurses.
    let worker = std::thread::Builder::new().stack_size(1 << 30).spawn(move || run(&args));
    let code = worker.expect("start the worker thread").join().unwrap_or(2);
    std::process::exit(code);
}

fn run(args: &[String]) -> i32 {
    match args {
        [] => dump_all(),
        [mode, times] if mode == "bench" => match times.parse() {
            Ok(n) => bench(n),
            Err(e) => usage(&format!("{times:?} is no number of times: {e}")),
        },
        _ => usage("unknown arguments"),
    }
}

fn usage(why: &str) -> i32 {
    eprintln!("{why}\nusage: verus-syn-oracle < LIST      dump each file of the list as a line of JSON\n       verus-syn-oracle bench N < LIST   time N readings of all files");
    2
}

fn listed() -> Vec<String> {
    std::io::stdin().lock().lines().map_while(std::io::Result::ok).filter(|l| !l.is_empty()).collect()
}

fn dump_all() -> i32 {
    std::panic::set_hook(Box::new(|_| {}));
    let out = std::io::stdout();
    let mut out = std::io::BufWriter::new(out.lock());
    for path in listed() {
        let line = match std::fs::read(&path) {
            Err(e) => failed(&path, 0, 0, 0, &e.to_string()),
            Ok(bytes) => match String::from_utf8(bytes) {
                Err(_) => failed(&path, 0, 0, 0, "not UTF-8"),
                Ok(text) => std::panic::catch_unwind(|| dump_file(&path, &text))
                    .unwrap_or_else(|_| failed(&path, 0, 0, 0, "verus_syn panicked")),
            },
        };
        if writeln!(out, "{line}").is_err() {
            return 1;
        }
        proc_macro2::extra::invalidate_current_thread_spans();
    }
    0
}

fn failed(path: &str, at: usize, line: usize, column: usize, message: &str) -> String {
    let mut s = String::from("{\"path\":");
    json(&mut s, path);
    let _ = write!(s, ",\"ok\":false,\"error\":{{\"at\":{at},\"line\":{line},\"column\":{column},\"message\":");
    json(&mut s, message);
    s.push_str("}}");
    s
}

fn dump_file(path: &str, text: &str) -> String {
    // parse_file drops a byte order mark and a #! line before it counts.
    let mut skipped = if text.starts_with('\u{feff}') { 3 } else { 0 };
    if text[skipped..].starts_with("#!") && !text[skipped + 2..].trim_start().starts_with('[') {
        skipped += text[skipped..].find('\n').unwrap_or(text.len() - skipped);
    }
    let file = match parse_file(text) {
        Ok(f) => f,
        Err(e) => {
            let start = e.span().start();
            return failed(path, e.span().byte_range().start + skipped, start.line, start.column + 1, &e.to_string());
        }
    };
    let mut d = Dump { base: skipped, ..Dump::default() };
    d.item_list(&file.items);
    let mut s = String::from("{\"path\":");
    json(&mut s, path);
    s.push_str(",\"ok\":true,\"macros\":[");
    s.push_str(&d.macros.join(","));
    s.push_str("],\"items\":[");
    for (i, item) in d.items.iter().enumerate() {
        if i > 0 {
            s.push(',');
        }
        json(&mut s, item);
    }
    s.push_str("],\"fns\":[");
    s.push_str(&d.fns.join(","));
    s.push_str("]}");
    s
}

// --- timing ---

/// Times parse_file and the reading of every verus! body in it, in this thread; files are read before.
fn bench(times: usize) -> i32 {
    let mut texts = Vec::new();
    let mut bytes = 0;
    let mut skipped = String::new();
    for path in listed() {
        match std::fs::read_to_string(&path).ok().filter(|t| parse_file(t).is_ok()) {
            Some(t) => {
                bytes += t.len();
                texts.push(t);
            }
            None => {
                if !skipped.is_empty() {
                    skipped.push(',');
                }
                json(&mut skipped, &path);
            }
        }
        proc_macro2::extra::invalidate_current_thread_spans();
    }
    let clock = Clock { start: Instant::now() };
    let mut best = f64::MAX;
    let mut total = 0.0;
    let mut macros = 0;
    for _ in 0..times {
        let mut seconds = 0.0;
        macros = 0;
        for t in &texts {
            let start = clock.now();
            if let Ok(file) = parse_file(t) {
                let mut nested = Nested { seen: 0 };
                nested.items(&file.items);
                macros += nested.seen;
            }
            seconds += clock.now() - start;
            proc_macro2::extra::invalidate_current_thread_spans();
        }
        total += seconds;
        best = if seconds < best { seconds } else { best };
    }
    println!(
        "{{\"files\":{},\"skipped\":[{skipped}],\"macros\":{macros},\"bytes\":{bytes},\"times\":{times},\"seconds\":{total:.6},\"best\":{best:.6}}}",
        texts.len()
    );
    0
}

/// Seconds that this thread was on a processor, so that other programs do not count; by the wall where Linux does not tell.
struct Clock {
    start: Instant,
}

impl Clock {
    fn now(&self) -> f64 {
        std::fs::read_to_string("/proc/thread-self/schedstat")
            .ok()
            .and_then(|s| s.split(' ').next()?.parse::<u64>().ok())
            .map_or_else(|| self.start.elapsed().as_secs_f64(), |ns| ns as f64 / 1e9)
    }
}

/// Finds verus! bodies in item position, where nearly all are, without the cost of a dump.
struct Nested {
    seen: usize,
}

impl Nested {
    fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Mod(m) => {
                    if let Some((_, items)) = &m.content {
                        self.items(items);
                    }
                }
                Item::Macro(m) => match known_macro(&m.mac) {
                    Some(Body::Items) => {
                        self.seen += 1;
                        if let Ok(Items(items)) = Items::parse.parse2(rejoin_tokens(m.mac.tokens.clone())) {
                            self.items(&items);
                        }
                    }
                    Some(Body::ImplItems) => {
                        self.seen += 1;
                        let _ = ImplItems::parse.parse2(rejoin_tokens(m.mac.tokens.clone()));
                    }
                    None => {}
                },
                _ => {}
            }
        }
    }
}

// --- macros ---

enum Body {
    Items,
    ImplItems,
}

fn known_macro(mac: &Macro) -> Option<Body> {
    match mac.path.segments.last()?.ident.to_string().as_str() {
        "verus" | "verus_keep_ghost" | "verus_erase_ghost" => Some(Body::Items),
        "verus_impl" | "verus_trait_impl" => Some(Body::ImplItems),
        _ => None,
    }
}

struct Items(Vec<Item>);

impl Parse for Items {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut items = Vec::new();
        while !input.is_empty() {
            items.push(input.parse()?);
        }
        Ok(Items(items))
    }
}

struct ImplItems(Vec<ImplItem>);

impl Parse for ImplItems {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut items = Vec::new();
        while !input.is_empty() {
            items.push(input.parse()?);
        }
        Ok(ImplItems(items))
    }
}

// --- text ---

fn json(out: &mut String, s: &str) {
    out.push('"');
    for c in s.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

fn wordy(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '"' || c == '\''
}

fn put(out: &mut String, token: &str) {
    if out.chars().next_back().is_some_and(wordy) && token.chars().next().is_some_and(wordy) {
        out.push(' ');
    }
    out.push_str(token);
}

/// Collects the leaves of a token stream with where they start. The printer of verus_syn adds and moves tokens (commas, lifetimes
/// before types): what it adds has no place in the file and is left out, and sorting by place undoes the moves.
fn leaves(tokens: TokenStream, out: &mut Vec<(usize, String)>) {
    let mut apostrophe = false;
    for tree in tokens {
        let span = tree.span().byte_range();
        match tree {
            TokenTree::Group(g) => {
                let (open, close) = match g.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                let (from, to) = (g.span_open().byte_range(), g.span_close().byte_range());
                if from.start < from.end {
                    out.push((from.start, open.into()));
                }
                leaves(g.stream(), out);
                if to.start < to.end {
                    out.push((to.start, close.into()));
                }
            }
            TokenTree::Punct(p) if p.as_char() == '\'' => apostrophe = true,
            _ if span.start == span.end => {}
            TokenTree::Punct(p) => out.push((span.start, p.as_char().to_string())),
            TokenTree::Ident(i) if apostrophe => {
                out.push((span.start, format!("'{i}")));
                apostrophe = false;
            }
            TokenTree::Ident(i) => out.push((span.start, i.to_string())),
            TokenTree::Literal(l) => out.push((span.start, l.to_string())),
        }
    }
}

fn put_tokens(out: &mut String, tokens: TokenStream) {
    let mut all = Vec::new();
    leaves(tokens, &mut all);
    all.sort_by_key(|l| l.0);
    for (_, text) in all {
        put(out, &text);
    }
}

/// The tokens of a node with no layout: a space only where two words would run together.
fn compact<T: ToTokens>(node: &T) -> String {
    let mut s = String::new();
    put_tokens(&mut s, node.to_token_stream());
    s
}

fn path_text(qself: &Option<QSelf>, path: &Path) -> String {
    compact(&ExprPath { attrs: Vec::new(), qself: qself.clone(), path: path.clone() })
}

fn publish(p: &Publish) -> String {
    compact(p)
}

fn fn_mode(m: &FnMode) -> &'static str {
    match m {
        FnMode::Spec(_) => "spec",
        FnMode::SpecChecked(_) => "spec(checked)",
        FnMode::Proof(_) => "proof",
        FnMode::ProofAxiom(_) => "axiom",
        FnMode::Exec(_) => "exec",
        FnMode::Default => "",
    }
}

fn data_mode(m: &DataMode) -> &'static str {
    match m {
        DataMode::Ghost(_) => "ghost ",
        DataMode::Tracked(_) => "tracked ",
        DataMode::Exec(_) => "exec ",
        DataMode::Default => "",
    }
}

// --- the dump ---

#[derive(Default)]
struct Dump {
    base: usize,
    scope: Vec<String>,
    items: Vec<String>,
    fns: Vec<String>,
    macros: Vec<String>,
    inner: Vec<String>,
}

struct Func<'a> {
    attrs: &'a [Attribute],
    head: TokenStream,
    sig: &'a Signature,
    body: Option<&'a Block>,
}

impl Dump {
    fn range(&self, span: Span) -> Range<usize> {
        let r = span.byte_range();
        r.start + self.base..r.end + self.base
    }

    /// The bytes that a node's tokens take up. Tokens that the printer makes up have the empty range and are left out.
    fn extent<T: ToTokens>(&self, node: &T) -> Range<usize> {
        fn walk(tokens: TokenStream, out: &mut Range<usize>) {
            for t in tokens {
                let r = match &t {
                    TokenTree::Group(g) => g.delim_span().join().byte_range(),
                    t => t.span().byte_range(),
                };
                if r.start < r.end {
                    out.start = out.start.min(r.start);
                    out.end = out.end.max(r.end);
                }
                if let TokenTree::Group(g) = t {
                    walk(g.stream(), out);
                }
            }
        }
        let mut out = usize::MAX..0;
        walk(node.to_token_stream(), &mut out);
        if out.start > out.end {
            return 0..0;
        }
        out.start + self.base..out.end + self.base
    }

    fn qualified(&self, name: &str) -> String {
        let mut s = self.scope.join("::");
        if !s.is_empty() {
            s.push_str("::");
        }
        s.push_str(name);
        s
    }

    fn item_named(&mut self, kind: &str, name: &str) {
        let line = format!("{kind} {}", self.qualified(name));
        self.items.push(line);
    }

    fn within(&mut self, name: String, f: impl FnOnce(&mut Self)) {
        self.scope.push(name);
        f(self);
        self.scope.pop();
    }

    fn item_list(&mut self, items: &[Item]) {
        for item in items {
            self.item(item);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Const(x) => {
                self.item_named(&join_words(&publish(&x.publish), fn_mode(&x.mode), "const"), &x.ident.to_string());
                self.const_parts(&x.ident, &x.attrs, &x.ensures, &x.expr, &x.block);
            }
            Item::Static(x) => {
                self.item_named(&join_words(&publish(&x.publish), fn_mode(&x.mode), "static"), &x.ident.to_string());
                self.const_parts(&x.ident, &x.attrs, &x.ensures, &x.expr, &x.block);
            }
            Item::Enum(x) => {
                self.item_named(&format!("{}enum", data_mode(&x.mode)), &format!("{}{}", x.ident, generics(&x.generics)));
                for v in &x.variants {
                    self.item_named("variant", &format!("{}::{}", x.ident, v.ident));
                    self.fields(&format!("{}::{}", x.ident, v.ident), &v.fields);
                }
            }
            Item::Struct(x) => {
                self.item_named(&format!("{}struct", data_mode(&x.mode)), &format!("{}{}", x.ident, generics(&x.generics)));
                self.fields(&x.ident.to_string(), &x.fields);
            }
            Item::Union(x) => self.item_named("union", &x.ident.to_string()),
            Item::ExternCrate(x) => self.item_named("extern-crate", &x.ident.to_string()),
            Item::Fn(x) => {
                let body = if x.semi_token.is_some() { None } else { Some(&*x.block) };
                self.func(Func { attrs: &x.attrs, head: x.vis.to_token_stream(), sig: &x.sig, body });
            }
            Item::ForeignMod(x) => {
                self.item_named("extern", "");
                for f in &x.items {
                    match f {
                        ForeignItem::Fn(f) => {
                            self.func(Func { attrs: &f.attrs, head: f.vis.to_token_stream(), sig: &f.sig, body: None })
                        }
                        ForeignItem::Static(f) => self.item_named("static", &f.ident.to_string()),
                        ForeignItem::Type(f) => self.item_named("type", &f.ident.to_string()),
                        ForeignItem::Macro(f) => self.mac(&f.mac),
                        _ => self.item_named("verbatim", ""),
                    }
                }
            }
            Item::Impl(x) => {
                let mut name = String::from("impl ");
                if let Some((not, path, _)) = &x.trait_ {
                    if not.is_some() {
                        name.push('!');
                    }
                    name.push_str(&compact(path));
                    name.push_str(" for ");
                }
                name.push_str(&compact(&x.self_ty));
                self.items.push(format!("{}{}", self.qualified(&name), generics(&x.generics)));
                self.within(format!("{{{name}}}"), |d| d.impl_items(&x.items));
            }
            Item::Macro(x) => {
                if let Some(name) = &x.ident {
                    self.item_named(&format!("{}!", compact(&x.mac.path)), &name.to_string());
                } else {
                    self.mac(&x.mac);
                }
            }
            Item::Mod(x) => {
                self.item_named("mod", &x.ident.to_string());
                if let Some((_, items)) = &x.content {
                    self.within(x.ident.to_string(), |d| d.item_list(items));
                }
            }
            Item::Trait(x) => {
                self.item_named("trait", &format!("{}{}", x.ident, generics(&x.generics)));
                self.within(x.ident.to_string(), |d| {
                    for t in &x.items {
                        match t {
                            TraitItem::Const(t) => {
                                d.item_named(&join_words(&publish(&t.publish), fn_mode(&t.mode), "const"), &t.ident.to_string());
                                if let Some((_, e)) = &t.default {
                                    d.const_parts(&t.ident, &t.attrs, &None, &Some(Box::new(e.clone())), &None);
                                }
                            }
                            TraitItem::Fn(t) => {
                                d.func(Func { attrs: &t.attrs, head: TokenStream::new(), sig: &t.sig, body: t.default.as_ref() })
                            }
                            TraitItem::Type(t) => d.item_named("type", &t.ident.to_string()),
                            TraitItem::Macro(t) => d.mac(&t.mac),
                            _ => d.item_named("verbatim", ""),
                        }
                    }
                });
            }
            Item::TraitAlias(x) => self.item_named("trait-alias", &x.ident.to_string()),
            Item::Type(x) => self.item_named("type", &x.ident.to_string()),
            Item::Use(x) => {
                let tree = format!("{}{}", if x.leading_colon.is_some() { "::" } else { "" }, compact(&x.tree));
                self.items.push(format!("use {tree}"));
            }
            Item::Global(x) => {
                let text = match &x.inner {
                    GlobalInner::SizeOf(g) => format!("size_of {}=={}", compact(&g.type_), compact(&g.expr_lit)),
                    GlobalInner::Layout(g) => {
                        let mut s = format!("layout {}", compact(&g.type_));
                        put(&mut s, "is size==");
                        s.push_str(&compact(&g.size.2));
                        if let Some((_, _, _, n)) = &g.align {
                            let _ = write!(s, ",align=={}", compact(n));
                        }
                        s
                    }
                };
                self.item_named("global", &text)
            }
            Item::BroadcastUse(x) => {
                let paths: Vec<String> = x.paths.iter().map(|p| path_text(&p.qself, &p.path)).collect();
                self.items.push(format!("broadcast-use {}", paths.join(" ")));
            }
            Item::BroadcastGroup(x) => self.broadcast_group(x),
            Item::AssumeSpecification(x) => self.assume_specification(x),
            _ => self.item_named("verbatim", ""),
        }
    }

    fn fields(&mut self, of: &str, fields: &Fields) {
        for (i, f) in fields.iter().enumerate() {
            let name = f.ident.as_ref().map_or(i.to_string(), |n| n.to_string());
            self.item_named(&format!("{}field", data_mode(&f.mode)), &format!("{of}::{name}:{}", compact(&f.ty)));
        }
    }

    fn broadcast_group(&mut self, x: &ItemBroadcastGroup) {
        let paths: Vec<String> = x.paths.iter().map(|p| path_text(&p.qself, &p.path)).collect();
        self.item_named("broadcast-group", &format!("{} {}", x.ident, paths.join(" ")));
    }

    fn impl_items(&mut self, items: &[ImplItem]) {
        for i in items {
            match i {
                ImplItem::Const(i) => {
                    self.item_named(&join_words(&publish(&i.publish), fn_mode(&i.mode), "const"), &i.ident.to_string());
                    self.const_parts(&i.ident, &i.attrs, &i.ensures, &i.expr, &i.block);
                }
                ImplItem::Fn(i) => {
                    let body = if i.semi_token.is_some() { None } else { Some(&i.block) };
                    let mut head = i.vis.to_token_stream();
                    i.defaultness.to_tokens(&mut head);
                    self.func(Func { attrs: &i.attrs, head, sig: &i.sig, body });
                }
                ImplItem::Type(i) => self.item_named("type", &i.ident.to_string()),
                ImplItem::Macro(i) => self.mac(&i.mac),
                ImplItem::BroadcastGroup(i) => self.broadcast_group(i),
                _ => self.item_named("verbatim", ""),
            }
        }
    }

    fn mac(&mut self, mac: &Macro) {
        let name = compact(&mac.path);
        self.items.push(format!("{name}!"));
        let body = match known_macro(mac) {
            Some(b) => b,
            None => return,
        };
        let at = self.extent(&mac.path).start;
        let tokens = rejoin_tokens(mac.tokens.clone());
        let parsed = match body {
            Body::Items => Items::parse.parse2(tokens).map(|x| (x.0, Vec::new())),
            Body::ImplItems => ImplItems::parse.parse2(tokens).map(|x| (Vec::new(), x.0)),
        };
        let mut s = format!("{{\"name\":\"{name}\",\"at\":{at},");
        match &parsed {
            Ok(_) => s.push_str("\"ok\":true}"),
            Err(e) => {
                let start = e.span().start();
                let _ = write!(
                    s,
                    "\"ok\":false,\"error\":{{\"at\":{},\"line\":{},\"column\":{},\"message\":",
                    self.range(e.span()).start,
                    start.line,
                    start.column + 1
                );
                json(&mut s, &e.to_string());
                s.push_str("}}");
            }
        }
        self.macros.push(s);
        if let Ok((items, impl_items)) = parsed {
            self.item_list(&items);
            self.impl_items(&impl_items);
        }
    }

    // --- functions ---

    fn func(&mut self, f: Func) {
        let sig = f.sig;
        let name = sig.ident.to_string();
        self.item_named("fn", &name);
        // The printer of signatures leaves `broadcast` out.
        let mut head = f.head.clone();
        sig.broadcast.to_tokens(&mut head);
        sig.to_tokens(&mut head);
        let start = self.extent(&head).start;
        let mut mods = Vec::new();
        for (on, word) in [(sig.constness.is_some(), "const"), (sig.asyncness.is_some(), "async"), (sig.unsafety.is_some(), "unsafe"), (sig.abi.is_some(), "extern"), (sig.broadcast.is_some(), "broadcast")] {
            if on {
                mods.push(format!("\"{word}\""));
            }
        }
        let mut s = format!("{{\"at\":{},\"start\":{start},\"path\":", self.range(sig.ident.span()).start);
        json(&mut s, &self.qualified(&name));
        let _ = write!(s, ",\"mode\":\"{}\",\"publish\":", fn_mode(&sig.mode));
        json(&mut s, &publish(&sig.publish));
        let _ = write!(s, ",\"modifiers\":[{}],\"params\":[", mods.join(","));
        for (i, p) in sig.inputs.iter().enumerate() {
            if i > 0 {
                s.push(',');
            }
            json(&mut s, &param(p));
        }
        if let Some(v) = &sig.variadic {
            if !sig.inputs.is_empty() {
                s.push(',');
            }
            let name = v.pat.as_ref().map_or(String::new(), |(p, _)| format!("{}:", pat_text(p)));
            json(&mut s, &format!("{name}..."));
        }
        s.push_str("],\"ret\":");
        json(&mut s, &ret(&sig.output));
        s.push_str(",\"generics\":");
        json(&mut s, &generics(&sig.generics));
        let outer = std::mem::take(&mut self.inner);
        let mut clauses = Vec::new();
        for a in f.attrs.iter().filter(|a| is_verus_spec(a)) {
            self.spec_attr(a, &mut clauses);
        }
        self.spec(&sig.spec, "", &mut clauses);
        let _ = write!(s, ",\"clauses\":[{}]", clauses.join(","));
        if let Some(b) = f.body {
            let r = self.range(b.brace_token.span.join());
            let mut shape = String::new();
            self.within(name, |d| d.block(&mut shape, b));
            let _ = write!(s, ",\"body\":[{},{}],\"shape\":", r.start, r.end);
            json(&mut s, &shape);
        }
        let _ = write!(s, ",\"inner\":[{}]}}", self.inner.join(","));
        self.inner = outer;
        self.fns.push(s);
    }

    /// Constants are dumped as functions with a body and no parameters when they have code or a contract.
    fn const_parts(&mut self, name: &Ident, attrs: &[Attribute], ensures: &Option<Ensures>, expr: &Option<Box<Expr>>, block: &Option<Box<Block>>) {
        let mut s = format!("{{\"at\":{},\"const\":true,\"path\":", self.range(name.span()).start);
        json(&mut s, &self.qualified(&name.to_string()));
        let outer = std::mem::take(&mut self.inner);
        let mut clauses = Vec::new();
        for a in attrs.iter().filter(|a| is_verus_spec(a)) {
            self.spec_attr(a, &mut clauses);
        }
        if let Some(e) = ensures {
            self.clause("ensures", &e.exprs, &mut clauses);
        }
        let mut shape = String::new();
        self.within(name.to_string(), |d| {
            if let Some(e) = expr {
                d.expr(&mut shape, e);
            }
            if let Some(b) = block {
                d.block(&mut shape, b);
            }
        });
        let _ = write!(s, ",\"clauses\":[{}],\"shape\":", clauses.join(","));
        json(&mut s, &shape);
        let _ = write!(s, ",\"inner\":[{}]}}", self.inner.join(","));
        self.inner = outer;
        self.fns.push(s);
    }

    fn assume_specification(&mut self, x: &AssumeSpecification) {
        let target = path_text(&x.qself, &x.path);
        self.items.push(format!("assume_specification {target}"));
        let mut s = format!("{{\"at\":{},\"assume_specification\":true,\"path\":", self.range(x.bracket_token.span.open()).start);
        json(&mut s, &target);
        s.push_str(",\"params\":[");
        for (i, p) in x.inputs.iter().flat_map(|(_, l)| l.iter()).enumerate() {
            if i > 0 {
                s.push(',');
            }
            json(&mut s, &param(p));
        }
        s.push_str("],\"ret\":");
        json(&mut s, &ret(&x.output));
        s.push_str(",\"generics\":");
        json(&mut s, &generics(&x.generics));
        let outer = std::mem::take(&mut self.inner);
        let mut clauses = Vec::new();
        let spec = SignatureSpec {
            prover: None,
            atomic_spec: None,
            requires: x.requires.clone(),
            recommends: None,
            ensures: x.ensures.clone(),
            default_ensures: x.default_ensures.clone(),
            returns: x.returns.clone(),
            decreases: None,
            invariants: x.invariants.clone(),
            unwind: x.unwind.clone(),
            with: None,
        };
        self.spec(&spec, "", &mut clauses);
        let _ = write!(s, ",\"clauses\":[{}],\"inner\":[{}]}}", clauses.join(","), self.inner.join(","));
        self.inner = outer;
        self.fns.push(s);
    }

    fn spec_attr(&mut self, attr: &Attribute, out: &mut Vec<String>) {
        let tokens = match &attr.meta {
            Meta::List(l) => rejoin_tokens(l.tokens.clone()),
            _ => return,
        };
        match SignatureSpecAttr::parse.parse2(tokens) {
            Ok(x) => {
                if let Some((pat, _)) = &x.ret_pat {
                    let mut s = String::from("{\"kind\":\"attr.ret\",\"text\":");
                    json(&mut s, &compact(pat));
                    s.push('}');
                    out.push(s);
                }
                self.spec(&x.spec, "attr.", out);
            }
            Err(e) => out.push(self.bad_attr(&e)),
        }
    }

    fn bad_attr(&self, e: &Error) -> String {
        let mut s = format!("{{\"kind\":\"attr.error\",\"at\":{},\"text\":", self.range(e.span()).start);
        json(&mut s, &e.to_string());
        s.push('}');
        s
    }

    fn spec(&mut self, spec: &SignatureSpec, prefix: &str, out: &mut Vec<String>) {
        let k = |kind: &str| format!("{prefix}{kind}");
        if let Some(p) = &spec.prover {
            out.push(format!("{{\"kind\":\"{}\",\"text\":\"{}\"}}", k("by"), p.id));
        }
        if let Some(w) = &spec.with {
            let mut s = format!("{{\"kind\":\"{}\",\"text\":", k("with"));
            let mut text: Vec<String> = w.inputs.iter().map(param).collect();
            if let Some((_, outs)) = &w.outputs {
                text.push("->".into());
                text.extend(outs.iter().map(|p| format!("{}:{}", compact(&p.pat), compact(&p.ty))));
            }
            json(&mut s, &text.join(" "));
            s.push('}');
            out.push(s);
        }
        if let Some(a) = &spec.atomic_spec {
            out.push(format!("{{\"kind\":\"{}\",\"text\":\"{}\"}}", k("atomically"), a.atomic_update));
            if let Some(c) = &a.requires {
                self.clause(&k("atomically.requires"), &c.exprs, out);
            }
            if let Some(c) = &a.ensures {
                self.clause(&k("atomically.ensures"), &c.exprs, out);
            }
            if let Some(c) = &a.outer_mask {
                self.name_set(&k("atomically.outer_mask"), &c.set, out);
            }
            if let Some(c) = &a.inner_mask {
                self.name_set(&k("atomically.inner_mask"), &c.set, out);
            }
        }
        if let Some(c) = &spec.requires {
            self.clause(&k("requires"), &c.exprs, out);
        }
        if let Some(c) = &spec.recommends {
            self.clause(&k("recommends"), &c.exprs, out);
            if let Some((_, e)) = &c.via {
                self.clause_exprs(&k("via"), std::iter::once(e), out);
            }
        }
        if let Some(c) = &spec.ensures {
            self.clause(&k("ensures"), &c.exprs, out);
        }
        if let Some(c) = &spec.default_ensures {
            self.clause(&k("default_ensures"), &c.exprs, out);
        }
        if let Some(c) = &spec.returns {
            self.clause(&k("returns"), &c.exprs, out);
        }
        if let Some(c) = &spec.decreases {
            self.clause(&k("decreases"), &c.decreases.exprs, out);
            if let Some((_, e)) = &c.when {
                self.clause_exprs(&k("when"), std::iter::once(e), out);
            }
            if let Some((_, e)) = &c.via {
                self.clause_exprs(&k("via"), std::iter::once(e), out);
            }
        }
        if let Some(c) = &spec.invariants {
            self.name_set(&k("opens_invariants"), &c.set, out);
        }
        if let Some(c) = &spec.unwind {
            self.clause_exprs(&k("no_unwind"), c.when.iter().map(|(_, e)| e), out);
        }
    }

    fn name_set(&mut self, kind: &str, set: &InvariantNameSet, out: &mut Vec<String>) {
        match set {
            InvariantNameSet::Any(_) => out.push(format!("{{\"kind\":\"{kind}\",\"text\":\"any\"}}")),
            InvariantNameSet::None(_) => out.push(format!("{{\"kind\":\"{kind}\",\"text\":\"none\"}}")),
            InvariantNameSet::List(l) => self.clause_exprs(&format!("{kind}[]"), l.exprs.iter(), out),
            InvariantNameSet::ListCompl(l) => self.clause_exprs(&format!("{kind} any/[]"), l.exprs.iter(), out),
            InvariantNameSet::Set(e) => self.clause_exprs(kind, std::iter::once(&e.expr), out),
        }
    }

    fn clause(&mut self, kind: &str, c: &Specification, out: &mut Vec<String>) {
        self.clause_exprs(kind, c.exprs.iter(), out);
    }

    fn clause_exprs<'a>(&mut self, kind: &str, exprs: impl Iterator<Item = &'a Expr>, out: &mut Vec<String>) {
        let mut list = Vec::new();
        for e in exprs {
            let r = self.extent(e);
            let mut shape = String::new();
            self.expr(&mut shape, e);
            let mut s = format!("[{},{},", r.start, r.end);
            json(&mut s, &shape);
            s.push(']');
            list.push(s);
        }
        out.push(format!("{{\"kind\":\"{kind}\",\"exprs\":[{}]}}", list.join(",")));
    }

    /// A clause inside a body: its shape goes to `out`, its boundaries to the function's list.
    fn inner_clause(&mut self, out: &mut String, owner: &str, kind: &str, c: &Specification) {
        let mut at = Vec::new();
        let _ = write!(out, " ({kind}");
        for e in &c.exprs {
            let r = self.extent(e);
            at.push(format!("[{},{}]", r.start, r.end));
            out.push(' ');
            self.expr(out, e);
        }
        out.push(')');
        self.inner.push(format!("{{\"kind\":\"{owner}.{kind}\",\"at\":[{}]}}", at.join(",")));
    }

    // --- statements ---

    fn block(&mut self, out: &mut String, b: &Block) {
        out.push_str("(block");
        for s in &b.stmts {
            out.push(' ');
            self.stmt(out, s);
        }
        out.push(')');
    }

    fn stmt(&mut self, out: &mut String, s: &Stmt) {
        match s {
            Stmt::Local(l) => {
                for a in l.attrs.iter().filter(|a| is_verus_spec(a)) {
                    self.inner_spec_attr(a, false);
                }
                self.attrs(out, &l.attrs);
                out.push_str("(let");
                if l.tracked.is_some() {
                    out.push_str(" tracked");
                }
                if l.ghost.is_some() {
                    out.push_str(" ghost");
                }
                self.pat(out, &l.pat);
                if let Some(init) = &l.init {
                    out.push_str(" = ");
                    self.expr(out, &init.expr);
                    if let Some((_, e)) = &init.diverge {
                        out.push_str(" else ");
                        self.expr(out, e);
                    }
                }
                out.push(')');
                self.close_attrs(out, &l.attrs);
            }
            Stmt::Item(i) => {
                let kind = self.items.len();
                self.item(i);
                let first = self.items.get(kind).cloned().unwrap_or_default();
                let word = first.split(' ').next().unwrap_or("");
                let _ = write!(out, "(item {word})");
            }
            Stmt::Expr(Expr::Verbatim(t), Some(_)) if t.is_empty() => out.push_str("(empty)"),
            Stmt::Expr(e, Some(_)) => {
                out.push_str("(semi ");
                self.expr(out, e);
                out.push(')');
            }
            Stmt::Expr(e, None) => self.expr(out, e),
            Stmt::Macro(m) => {
                if m.semi_token.is_some() {
                    out.push_str("(semi ");
                }
                self.attrs(out, &m.attrs);
                self.macro_expr(out, &m.mac);
                self.close_attrs(out, &m.attrs);
                if m.semi_token.is_some() {
                    out.push(')');
                }
            }
        }
    }

    fn macro_expr(&mut self, out: &mut String, m: &Macro) {
        let _ = write!(out, "(macro {})", compact(&m.path));
        if known_macro(m).is_some() {
            self.mac(m);
        }
    }

    /// A pattern with its type, if any, as tokens.
    fn pat(&mut self, out: &mut String, p: &Pat) {
        match p {
            Pat::Type(t) => {
                let _ = write!(out, " (pat {}) (type {})", pat_text(&t.pat), compact(&t.ty));
            }
            p => {
                let _ = write!(out, " (pat {})", pat_text(p));
            }
        }
    }

    // --- expressions ---

    fn attrs(&mut self, out: &mut String, attrs: &[Attribute]) {
        for a in attrs.iter().filter(|a| shown(a)) {
            if is_verus_spec(a) {
                out.push_str("(attr verus_spec ");
            } else {
                let _ = write!(out, "(attr {} ", attr_text(a));
            }
        }
    }

    /// #[verus_spec(..)] on a loop, an expression or a local inside a body.
    fn inner_spec_attr(&mut self, attr: &Attribute, on_loop: bool) {
        let tokens = match &attr.meta {
            Meta::List(l) => rejoin_tokens(l.tokens.clone()),
            _ => return,
        };
        let mut out = Vec::new();
        if on_loop {
            match LoopSpec::parse.parse2(tokens) {
                Ok(x) => {
                    if let Some((name, _)) = &x.iter_name {
                        out.push(format!("{{\"kind\":\"attr.loop.iter\",\"text\":\"{name}\"}}"));
                    }
                    if let Some(c) = &x.invariants {
                        self.clause("attr.loop.invariant", &c.exprs, &mut out);
                    }
                    if let Some(c) = &x.invariant_except_breaks {
                        self.clause("attr.loop.invariant_except_break", &c.exprs, &mut out);
                    }
                    if let Some(c) = &x.ensures {
                        self.clause("attr.loop.ensures", &c.exprs, &mut out);
                    }
                    if let Some(c) = &x.decreases {
                        self.clause("attr.loop.decreases", &c.exprs, &mut out);
                    }
                }
                Err(e) => out.push(self.bad_attr(&e)),
            }
        } else if let Err(e) = WithSpecOnExpr::parse.parse2(tokens) {
            out.push(self.bad_attr(&e));
        }
        self.inner.append(&mut out);
    }

    fn close_attrs(&mut self, out: &mut String, attrs: &[Attribute]) {
        for _ in attrs.iter().filter(|a| shown(a)) {
            out.push(')');
        }
    }

    fn list<'a>(&mut self, out: &mut String, exprs: impl Iterator<Item = &'a Expr>) {
        for e in exprs {
            out.push(' ');
            self.expr(out, e);
        }
    }

    fn node(&mut self, out: &mut String, name: &str, exprs: &[&Expr]) {
        let _ = write!(out, "({name}");
        self.list(out, exprs.iter().copied());
        out.push(')');
    }

    fn label(&mut self, out: &mut String, l: &Option<Label>) {
        if let Some(l) = l {
            let _ = write!(out, " {}", l.name);
        }
    }

    fn expr(&mut self, out: &mut String, e: &Expr) {
        let attrs = expr_attrs(e);
        for a in attrs.iter().filter(|a| is_verus_spec(a)) {
            self.inner_spec_attr(a, matches!(e, Expr::While(_) | Expr::Loop(_) | Expr::ForLoop(_)));
        }
        self.attrs(out, attrs);
        self.bare(out, e);
        self.close_attrs(out, attrs);
    }

    fn bare(&mut self, out: &mut String, e: &Expr) {
        match e {
            Expr::Group(x) => self.expr(out, &x.expr),
            Expr::Paren(x) => self.expr(out, &x.expr),
            Expr::Array(x) => {
                out.push_str("(array");
                self.list(out, x.elems.iter());
                out.push(')');
            }
            Expr::Assign(x) => self.node(out, "assign =", &[&x.left, &x.right]),
            Expr::Async(x) => {
                out.push_str(if x.capture.is_some() { "(async move " } else { "(async " });
                self.block(out, &x.block);
                out.push(')');
            }
            Expr::Await(x) => self.node(out, "await", &[&x.base]),
            Expr::Binary(x) => {
                let op = compact(&x.op);
                let kind = if is_assign(&x.op) { "assign" } else { "binary" };
                self.node(out, &format!("{kind} {op}"), &[&x.left, &x.right]);
            }
            Expr::Block(x) => {
                if x.label.is_some() {
                    out.push_str("(labeled");
                    self.label(out, &x.label);
                    out.push(' ');
                    self.block(out, &x.block);
                    out.push(')');
                } else {
                    self.block(out, &x.block);
                }
            }
            Expr::Break(x) => {
                out.push_str("(break");
                if let Some(l) = &x.label {
                    let _ = write!(out, " {l}");
                }
                self.list(out, x.expr.iter().map(|e| &**e));
                out.push(')');
            }
            Expr::Call(x) => {
                out.push_str("(call ");
                self.expr(out, &x.func);
                self.list(out, x.args.iter());
                self.atomically(out, &x.atomically);
                out.push(')');
            }
            Expr::Cast(x) => {
                out.push_str("(cast ");
                self.expr(out, &x.expr);
                let _ = write!(out, " (type {}))", compact(&x.ty));
            }
            Expr::Closure(x) => self.closure(out, x, "closure"),
            Expr::Const(x) => {
                out.push_str("(const ");
                self.block(out, &x.block);
                out.push(')');
            }
            Expr::Continue(x) => {
                out.push_str("(continue");
                if let Some(l) = &x.label {
                    let _ = write!(out, " {l}");
                }
                out.push(')');
            }
            Expr::Field(x) => {
                out.push_str("(field ");
                self.expr(out, &x.base);
                let _ = write!(out, " {})", compact(&x.member));
            }
            Expr::ForLoop(x) => {
                out.push_str("(for");
                self.label(out, &x.label);
                self.pat(out, &x.pat);
                if let Some(name) = &x.expr_name {
                    let _ = write!(out, " (iter {})", name.0);
                }
                out.push(' ');
                self.expr(out, &x.expr);
                self.loop_clauses(out, &x.invariant_except_break, &x.invariant, &None, &x.ensures, &x.decreases);
                out.push(' ');
                self.block(out, &x.body);
                out.push(')');
            }
            Expr::If(x) => {
                out.push_str("(if ");
                self.expr(out, &x.cond);
                out.push(' ');
                self.block(out, &x.then_branch);
                self.list(out, x.else_branch.iter().map(|(_, e)| &**e));
                out.push(')');
            }
            Expr::Index(x) => self.node(out, "index", &[&x.expr, &x.index]),
            Expr::Infer(_) => out.push_str("(infer)"),
            Expr::Let(x) => {
                out.push_str("(let-cond");
                self.pat(out, &x.pat);
                out.push(' ');
                self.expr(out, &x.expr);
                out.push(')');
            }
            Expr::Lit(x) => {
                let _ = write!(out, "(lit {})", compact(&x.lit));
            }
            Expr::Loop(x) => {
                out.push_str("(loop");
                self.label(out, &x.label);
                self.loop_clauses(out, &x.invariant_except_break, &x.invariant, &x.invariant_ensures, &x.ensures, &x.decreases);
                out.push(' ');
                self.block(out, &x.body);
                out.push(')');
            }
            Expr::Macro(x) => self.macro_expr(out, &x.mac),
            Expr::Match(x) => {
                out.push_str("(match ");
                self.expr(out, &x.expr);
                for arm in &x.arms {
                    out.push(' ');
                    self.attrs(out, &arm.attrs);
                    out.push_str("(arm");
                    self.pat(out, &arm.pat);
                    if let Some((_, g)) = &arm.guard {
                        out.push_str(" if ");
                        self.expr(out, g);
                    }
                    out.push(' ');
                    self.expr(out, &arm.body);
                    out.push(')');
                    self.close_attrs(out, &arm.attrs);
                }
                out.push(')');
            }
            Expr::MethodCall(x) => {
                out.push_str("(method-call ");
                self.expr(out, &x.receiver);
                let _ = write!(out, " {}", x.method);
                if let Some(t) = &x.turbofish {
                    out.push_str(&compact(t));
                }
                self.list(out, x.args.iter());
                self.atomically(out, &x.atomically);
                out.push(')');
            }
            Expr::Path(x) => {
                let _ = write!(out, "(path {})", path_text(&x.qself, &x.path));
            }
            Expr::Range(x) => {
                let _ = write!(out, "(range {} ", compact(&x.limits));
                match &x.start {
                    Some(e) => self.expr(out, e),
                    None => out.push('-'),
                }
                out.push(' ');
                match &x.end {
                    Some(e) => self.expr(out, e),
                    None => out.push('-'),
                }
                out.push(')');
            }
            Expr::RawAddr(x) => {
                self.node(out, &format!("raw-addr {}", compact(&x.mutability)), &[&x.expr]);
            }
            Expr::Reference(x) => {
                self.node(out, if x.mutability.is_some() { "reference mut" } else { "reference" }, &[&x.expr]);
            }
            Expr::Repeat(x) => self.node(out, "repeat", &[&x.expr, &x.len]),
            Expr::Return(x) => {
                out.push_str("(return");
                self.list(out, x.expr.iter().map(|e| &**e));
                out.push(')');
            }
            Expr::Struct(x) => {
                let _ = write!(out, "(struct {}", path_text(&x.qself, &x.path));
                for f in &x.fields {
                    out.push(' ');
                    self.attrs(out, &f.attrs);
                    let _ = write!(out, "(field {} ", compact(&f.member));
                    if f.colon_token.is_some() {
                        self.expr(out, &f.expr);
                    } else {
                        out.push('-');
                    }
                    out.push(')');
                    self.close_attrs(out, &f.attrs);
                }
                if x.dot2_token.is_some() {
                    out.push_str(" ..");
                }
                self.list(out, x.rest.iter().map(|e| &**e));
                out.push(')');
            }
            Expr::Try(x) => self.node(out, "try", &[&x.expr]),
            Expr::TryBlock(x) => {
                out.push_str("(try-block ");
                self.block(out, &x.block);
                out.push(')');
            }
            Expr::Tuple(x) => {
                out.push_str("(tuple");
                self.list(out, x.elems.iter());
                out.push(')');
            }
            Expr::Unary(x) => match (&x.op, &*x.expr) {
                (UnOp::Forall(_), Expr::Closure(c)) => self.closure(out, c, "forall"),
                (UnOp::Exists(_), Expr::Closure(c)) => self.closure(out, c, "exists"),
                (UnOp::Choose(_), Expr::Closure(c)) => self.closure(out, c, "choose"),
                (op, e) => self.node(out, &format!("unary {}", compact(op)), &[e]),
            },
            Expr::Unsafe(x) => {
                out.push_str("(unsafe ");
                self.block(out, &x.block);
                out.push(')');
            }
            Expr::While(x) => {
                out.push_str("(while");
                self.label(out, &x.label);
                out.push(' ');
                self.expr(out, &x.cond);
                self.loop_clauses(out, &x.invariant_except_break, &x.invariant, &x.invariant_ensures, &x.ensures, &x.decreases);
                out.push(' ');
                self.block(out, &x.body);
                out.push(')');
            }
            Expr::Yield(x) => {
                out.push_str("(yield");
                self.list(out, x.expr.iter().map(|e| &**e));
                out.push(')');
            }
            // These are keywords at the start of a statement and plain calls elsewhere: the same shape for both.
            Expr::Assume(x) => self.node(out, "call (path assume)", &[&x.expr]),
            Expr::Assert(x) if x.by_token.is_none() => self.node(out, "call (path assert)", &[&x.expr]),
            Expr::Assert(x) => {
                out.push_str("(assert ");
                self.expr(out, &x.expr);
                if let Some((_, id)) = &x.prover {
                    let _ = write!(out, " (by {id})");
                }
                if let Some(r) = &x.requires {
                    self.inner_clause(out, "assert", "requires", &r.exprs);
                }
                if let Some(b) = &x.body {
                    out.push(' ');
                    self.block(out, b);
                }
                out.push(')');
            }
            Expr::AssertForall(x) => {
                out.push_str("(assert-forall");
                for p in &x.inputs {
                    self.pat(out, p);
                }
                out.push(' ');
                self.expr(out, &x.expr);
                if let Some((_, e)) = &x.implies {
                    out.push_str(" implies ");
                    self.expr(out, e);
                }
                out.push(' ');
                self.block(out, &x.body);
                out.push(')');
            }
            Expr::RevealHide(x) => {
                let word = if x.hide_token.is_some() {
                    "hide"
                } else if x.reveal_token.is_some() {
                    "reveal"
                } else {
                    "reveal_with_fuel"
                };
                let _ = write!(out, "(call (path {word}) (path {})", path_text(&x.path.qself, &x.path.path));
                self.list(out, x.fuel.iter().map(|(_, e)| &**e));
                out.push(')');
            }
            Expr::View(x) => self.node(out, "view", &[&x.expr]),
            Expr::BigAnd(x) => {
                out.push_str("(big-and");
                self.big_and(out, x);
                out.push(')');
            }
            Expr::BigOr(x) => {
                out.push_str("(big-or");
                self.list(out, x.exprs.iter().map(|e| &*e.expr));
                out.push(')');
            }
            Expr::Is(x) => self.named(out, "is", &x.base, &x.variant_ident.to_string()),
            Expr::IsNot(x) => self.named(out, "isnt", &x.base, &x.variant_ident.to_string()),
            Expr::Has(x) => self.node(out, "has", &[&x.lhs, &x.rhs]),
            Expr::HasNot(x) => self.node(out, "hasnt", &[&x.lhs, &x.rhs]),
            Expr::Matches(x) => {
                let op = match &x.op_expr {
                    Some(MatchesOpExpr { op_token: MatchesOpToken::Implies(_), rhs }) => Some(("==>", rhs)),
                    Some(MatchesOpExpr { op_token: MatchesOpToken::AndAnd(_), rhs }) => Some(("&&", rhs)),
                    _ => None,
                };
                if let Some((op, _)) = op {
                    let _ = write!(out, "(binary {op} ");
                }
                self.matches(out, x);
                if let Some((_, rhs)) = op {
                    out.push(' ');
                    self.expr(out, rhs);
                    out.push(')');
                }
            }
            Expr::GetField(x) => self.named(out, "get-field", &x.base, &compact(&x.member)),
            Expr::Final(x) => self.node(out, "call (path final)", &[&x.arg]),
            Expr::Verbatim(t) => {
                let _ = write!(out, "(verbatim {})", compact(t));
            }
        }
    }

    fn matches(&mut self, out: &mut String, x: &ExprMatches) {
        out.push_str("(matches ");
        self.expr(out, &x.lhs);
        self.pat(out, &x.pat);
        out.push(')');
    }

    /// `&&& x matches P &&& b` holds the rest of the list inside the matches, for scope; the dump lists all items alike.
    fn big_and(&mut self, out: &mut String, x: &BigAnd) {
        for item in &x.exprs {
            out.push(' ');
            match &*item.expr {
                Expr::Matches(m) => match &m.op_expr {
                    Some(MatchesOpExpr { op_token: MatchesOpToken::BigAnd, rhs }) => {
                        self.matches(out, m);
                        if let Expr::BigAnd(rest) = &**rhs {
                            self.big_and(out, rest);
                        }
                    }
                    _ => self.expr(out, &item.expr),
                },
                e => self.expr(out, e),
            }
        }
    }

    fn named(&mut self, out: &mut String, kind: &str, e: &Expr, name: &str) {
        let _ = write!(out, "({kind} ");
        self.expr(out, e);
        let _ = write!(out, " {name})");
    }

    fn closure(&mut self, out: &mut String, x: &ExprClosure, kind: &str) {
        let _ = write!(out, "({kind}");
        for (on, word) in [(x.constness.is_some(), "const"), (x.movability.is_some(), "static"), (x.asyncness.is_some(), "async"), (x.capture.is_some(), "move"), (x.proof_fn.is_some(), "proof_fn")] {
            if on {
                let _ = write!(out, " {word}");
            }
        }
        out.push_str(" (params");
        for p in &x.inputs {
            if p.tracked_token.is_some() {
                out.push_str(" tracked");
            }
            self.pat(out, &p.pat);
        }
        out.push(')');
        let r = ret(&x.output);
        if !r.is_empty() {
            let _ = write!(out, " (ret {r})");
        }
        if let Some(c) = &x.requires {
            self.inner_clause(out, "closure", "requires", &c.exprs);
        }
        if let Some(c) = &x.ensures {
            self.inner_clause(out, "closure", "ensures", &c.exprs);
        }
        if let Some(c) = &x.invariants {
            let mut list = Vec::new();
            self.name_set("closure.opens_invariants", &c.set, &mut list);
            out.push_str(" (opens_invariants)");
        }
        for a in &x.inner_attrs {
            let _ = write!(out, " (inner {})", attr_text(a));
        }
        out.push(' ');
        self.expr(out, &x.body);
        out.push(')');
    }

    fn loop_clauses(
        &mut self,
        out: &mut String,
        except: &Option<InvariantExceptBreak>,
        inv: &Option<Invariant>,
        inv_ens: &Option<InvariantEnsures>,
        ens: &Option<Ensures>,
        dec: &Option<Decreases>,
    ) {
        if let Some(c) = except {
            self.inner_clause(out, "loop", "invariant_except_break", &c.exprs);
        }
        if let Some(c) = inv {
            self.inner_clause(out, "loop", "invariant", &c.exprs);
        }
        if let Some(c) = inv_ens {
            self.inner_clause(out, "loop", "invariant_ensures", &c.exprs);
        }
        if let Some(c) = ens {
            self.inner_clause(out, "loop", "ensures", &c.exprs);
        }
        if let Some(c) = dec {
            self.inner_clause(out, "loop", "decreases", &c.exprs);
        }
    }

    fn atomically(&mut self, out: &mut String, a: &Option<AtomicallyBlock>) {
        if let Some(a) = a {
            out.push_str(" (atomically ");
            self.block(out, &a.body);
            out.push(')');
        }
    }
}

fn join_words(a: &str, b: &str, c: &str) -> String {
    [a, b, c].iter().filter(|s| !s.is_empty()).copied().collect::<Vec<_>>().join(" ")
}

/// Documentation is layout to the dump. Inner attributes are shown where they are triggers: in closures and quantifiers.
fn shown(a: &Attribute) -> bool {
    !a.path().is_ident("doc") && matches!(a.style, AttrStyle::Outer)
}

fn attr_text(a: &Attribute) -> String {
    // A trigger has no parentheses in the source, but the printer gives it some.
    if let Meta::List(l) = &a.meta {
        if l.path.is_ident("trigger") {
            let mut s = String::from("trigger");
            put_tokens(&mut s, l.tokens.clone());
            return s;
        }
    }
    compact(&a.meta)
}

fn is_verus_spec(a: &Attribute) -> bool {
    a.path().segments.last().is_some_and(|s| s.ident == "verus_spec")
}

fn is_assign(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

fn pat_text(p: &Pat) -> String {
    compact(p)
}

fn param(p: &FnArg) -> String {
    let mut s = String::new();
    if p.tracked.is_some() {
        s.push_str("tracked ");
    }
    match &p.kind {
        FnArgKind::Receiver(r) => {
            if let Some((_, life)) = &r.reference {
                s.push('&');
                if let Some(l) = life {
                    let _ = write!(s, "{l} ");
                }
            }
            if r.mutability.is_some() {
                s.push_str("mut ");
            }
            s.push_str("self");
            if r.colon_token.is_some() {
                let _ = write!(s, ":{}", compact(&r.ty));
            }
        }
        FnArgKind::Typed(t) => {
            let _ = write!(s, "{}:{}", pat_text(&t.pat), compact(&t.ty));
        }
    }
    s
}

/// Parameters and where clause.
fn generics(g: &Generics) -> String {
    let mut s = String::new();
    if !g.params.is_empty() {
        // The printer moves lifetimes first and adds commas; both are undone by place.
        put_tokens(&mut s, g.to_token_stream());
    }
    if let Some(w) = g.where_clause.as_ref().filter(|w| !w.predicates.is_empty()) {
        s.push(' ');
        put_tokens(&mut s, w.to_token_stream());
    }
    s
}

fn ret(r: &ReturnType) -> String {
    match r {
        ReturnType::Default => String::new(),
        ReturnType::Type(_, tracked, named, ty) => {
            let mut s = String::new();
            if tracked.is_some() {
                s.push_str("tracked ");
            }
            if let Some(n) = named {
                let _ = write!(s, "{}:", pat_text(&n.1));
            }
            s.push_str(&compact(ty));
            s
        }
    }
}

fn expr_attrs(e: &Expr) -> &[Attribute] {
    match e {
        Expr::Array(x) => &x.attrs,
        Expr::Assign(x) => &x.attrs,
        Expr::Async(x) => &x.attrs,
        Expr::Await(x) => &x.attrs,
        Expr::Binary(x) => &x.attrs,
        Expr::Block(x) => &x.attrs,
        Expr::Break(x) => &x.attrs,
        Expr::Call(x) => &x.attrs,
        Expr::Cast(x) => &x.attrs,
        Expr::Closure(x) => &x.attrs,
        Expr::Const(x) => &x.attrs,
        Expr::Continue(x) => &x.attrs,
        Expr::Field(x) => &x.attrs,
        Expr::ForLoop(x) => &x.attrs,
        Expr::Group(x) => &x.attrs,
        Expr::If(x) => &x.attrs,
        Expr::Index(x) => &x.attrs,
        Expr::Infer(x) => &x.attrs,
        Expr::Let(x) => &x.attrs,
        Expr::Lit(x) => &x.attrs,
        Expr::Loop(x) => &x.attrs,
        Expr::Macro(x) => &x.attrs,
        Expr::Match(x) => &x.attrs,
        Expr::MethodCall(x) => &x.attrs,
        Expr::Paren(x) => &x.attrs,
        Expr::Path(x) => &x.attrs,
        Expr::Range(x) => &x.attrs,
        Expr::RawAddr(x) => &x.attrs,
        Expr::Reference(x) => &x.attrs,
        Expr::Repeat(x) => &x.attrs,
        Expr::Return(x) => &x.attrs,
        Expr::Struct(x) => &x.attrs,
        Expr::Try(x) => &x.attrs,
        Expr::TryBlock(x) => &x.attrs,
        Expr::Tuple(x) => &x.attrs,
        Expr::Unary(x) => &x.attrs,
        Expr::Unsafe(x) => &x.attrs,
        Expr::While(x) => &x.attrs,
        Expr::Yield(x) => &x.attrs,
        Expr::Assume(x) => &x.attrs,
        Expr::Assert(x) => &x.attrs,
        Expr::AssertForall(x) => &x.attrs,
        Expr::RevealHide(x) => &x.attrs,
        Expr::View(x) => &x.attrs,
        Expr::Is(x) => &x.attrs,
        Expr::IsNot(x) => &x.attrs,
        Expr::Has(x) => &x.attrs,
        Expr::HasNot(x) => &x.attrs,
        Expr::Matches(x) => &x.attrs,
        Expr::GetField(x) => &x.attrs,
        Expr::Final(x) => &x.attrs,
        Expr::BigAnd(_) | Expr::BigOr(_) | Expr::Verbatim(_) => &[],
    }
}
