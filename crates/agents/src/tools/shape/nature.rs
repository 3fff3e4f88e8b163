//! What a tool has to do with, by the words in its name and in its server's.

use super::super::compose::Afar;
use super::super::looks;
use super::super::words::words;

/// What a tool has to do with, by the words in its name and its server's.
pub(super) struct Nature {
    /// The words of the tool itself.
    pub(super) tool: Vec<String>,
    /// A database.
    pub(super) data: bool,
    /// What it runs, it runs in a web page.
    pub(super) page: bool,
    /// What it is given, a shell reads.
    pub(super) shell: bool,
    /// Somebody else's service: relative paths are not this machine's.
    pub(super) service: bool,
    pub(super) git: bool,
    /// It looks for text in files, not for names.
    pub(super) content: bool,
    pub(super) afar: Afar,
    pub(super) language: Option<&'static str>,
    /// The program that it stands for: its commands may leave that word out.
    pub(super) program: Option<&'static str>,
    /// A store of passwords and tokens.
    pub(super) secrets: bool,
}

impl Nature {
    pub(super) fn of(name: &str) -> Self {
        let (server, tool) = match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            Some((server, tool)) => (words(server), words(tool)),
            None => (Vec::new(), words(name)),
        };
        let all = || server.iter().chain(&tool).map(String::as_str);
        let has = |list: &[&str]| all().any(|word| list.contains(&word));
        let afar = if has(&["ssh", "remote"]) {
            Afar::Host
        } else if has(&["docker", "container", "containers", "kubernetes", "k8s", "kubectl", "pod", "podman"])
        {
            if tool.iter().any(|word| matches!(word.as_str(), "exec" | "execute")) {
                Afar::Inside
            } else {
                Afar::Container
            }
        } else {
            Afar::Here
        };
        let page = has(&[
            "browser",
            "page",
            "puppeteer",
            "playwright",
            "chrome",
            "chromium",
            "firefox",
            "selenium",
            "tab",
            "dom",
            "webdriver",
        ]);
        Self {
            data: has(DATA),
            page,
            shell: !page && has(SHELL),
            service: has(SERVICES),
            git: has(&["git"]),
            content: has(&["grep", "rg", "ripgrep", "content", "contents", "text", "code", "regex"]),
            afar,
            language: all().find_map(looks::language).filter(|language| *language != "sql"),
            program: PROGRAMS.iter().find(|program| has(&[program])).copied(),
            secrets: has(&[
                "1password",
                "onepassword",
                "bitwarden",
                "lastpass",
                "keychain",
                "keepass",
                "hashicorp",
            ]) || server.iter().any(|word| word == "vault"),
            tool,
        }
    }
}

const DATA: &[&str] = &[
    "sql",
    "postgres",
    "postgresql",
    "pg",
    "mysql",
    "mariadb",
    "sqlite",
    "mssql",
    "sqlserver",
    "oracle",
    "db",
    "database",
    "databases",
    "bigquery",
    "snowflake",
    "redshift",
    "clickhouse",
    "duckdb",
    "supabase",
    "neon",
    "planetscale",
    "turso",
    "cockroachdb",
    "athena",
    "trino",
    "databricks",
    "motherduck",
    "neo4j",
    "memgraph",
    "mongo",
    "mongodb",
    "redis",
    "valkey",
    "cassandra",
    "dynamodb",
    "elasticsearch",
    "opensearch",
    "tidb",
    "timescale",
    "prisma",
    "spanner",
    "alloydb",
    "couchdb",
    "influxdb",
    "qdrant",
    "pinecone",
    "weaviate",
    "milvus",
    "chroma",
];

const PROGRAMS: &[&str] = &[
    "terraform",
    "kubectl",
    "docker",
    "helm",
    "git",
    "aws",
    "gcloud",
    "az",
    "gh",
    "npm",
    "heroku",
    "fly",
    "vercel",
    "podman",
];

const SHELL: &[&str] = &[
    "shell",
    "bash",
    "sh",
    "zsh",
    "terminal",
    "tmux",
    "pty",
    "repl",
    "tty",
    "stdin",
    "iterm",
    "process",
    "ssh",
    "subprocess",
    "cmd",
    "commander",
    "term",
    "keys",
    "keystrokes",
];

const SERVICES: &[&str] = &[
    "github",
    "gitlab",
    "bitbucket",
    "gitea",
    "forgejo",
    "azure",
    "devops",
    "s3",
    "gcs",
    "drive",
    "gdrive",
    "dropbox",
    "onedrive",
    "sharepoint",
    "notion",
    "confluence",
    "jira",
    "linear",
    "slack",
    "discord",
    "asana",
    "figma",
    "gmail",
    "outlook",
    "teams",
    "trello",
    "sentry",
    "vercel",
    "netlify",
    "cloudflare",
    "stripe",
    "hubspot",
    "salesforce",
    "airtable",
    "zapier",
    "telegram",
    "twitter",
    "memory",
    "mem0",
    "graphiti",
];
