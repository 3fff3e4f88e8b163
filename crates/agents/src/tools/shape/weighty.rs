//! Arguments that make an everyday call a weighty one: rights for everybody, a rule that is gone round, a container that gets the
//! machine, money, a request that deletes. By their names and values, in any depth; reading is never weighty.

use model::{Intent, Noun, Realm};
use serde_json::Value;

use super::super::words::{plain, words};
use super::super::{keys, looks};
use super::things::told;
use super::{MOST, Object, Shape};

impl Shape {
    pub(super) fn weighty(&mut self, input: &Object) {
        self.request_without_host(input);
        self.stored_code(input);
        // What is attached is read from a file, and a policy is given to somebody by the same word.
        let attaches = self.nature.tool.iter().any(|word| word == "attach");
        if matches!(self.intent, Intent::List | Intent::Search | Intent::Read) && !attaches {
            return;
        }
        let leaves = leaves(input);
        let mut verbs: Vec<String> = self.nature.tool.clone();
        verbs.extend(told(input));
        let call = Call { verbs, leaves };
        // What git is asked for is read as its command.
        let found = call
            .rights()
            .or_else(|| call.made_master())
            .or_else(|| call.own_rules())
            .or_else(|| call.outside().or_else(|| call.owed()).filter(|_| !self.nature.git));
        if let Some((text, realm)) = found {
            self.add("", Noun::Thing { text: text.to_owned(), realm });
        }
        if let Some(text) = call.machine() {
            self.add("", Noun::Thing { text: text.to_owned(), realm: Realm::Machine });
        }
    }

    /// `{"method": "DELETE", "endpoint": "/repos/x"}`: the tool knows the host. And `mutation { deleteRef… }`.
    fn request_without_host(&mut self, input: &Object) {
        let text = |wanted: &dyn Fn(&str) -> bool| {
            input.iter().find(|(key, _)| wanted(&plain(key))).and_then(|(_, value)| value.as_str())
        };
        let method = text(&|key| matches!(key, "method" | "http_method" | "verb"));
        let path = text(&|key| {
            matches!(key, "endpoint" | "path" | "route" | "url" | "uri" | "resource_path" | "api_path")
        });
        let deletes = method.is_some_and(|method| method.eq_ignore_ascii_case("DELETE"));
        if deletes && !self.nature.data && path.is_some_and(|path| !looks::is_address(path)) {
            let text = format!("`{}` of a service", path.unwrap_or_default());
            return self.add("", Noun::Thing { text, realm: Realm::Service });
        }
        let mutation = input.values().filter_map(Value::as_str).find(|text| is_mutation(text));
        // Of a service that is known; any other may well be the project's own.
        if self.nature.service && mutation.is_some_and(takes_away) {
            self.add("", Noun::Thing { text: "what the mutation names".into(), realm: Realm::Service });
        }
    }

    /// Code that a database runs, and steps of a query that replace a collection.
    fn stored_code(&mut self, input: &Object) {
        if !self.nature.data {
            return;
        }
        let leaves = leaves(input);
        let empties = leaves.iter().filter_map(|leaf| leaf.value.as_str()).any(|text| {
            let upper = text.to_ascii_uppercase();
            upper.contains("REDIS.CALL")
                && (upper.contains("FLUSH")
                    || ["DEL", "UNLINK"].iter().any(|word| {
                        upper.contains(&format!("CALL('{word}'"))
                            || upper.contains(&format!("CALL(\"{word}\""))
                    }) && (upper.contains("'KEYS'")
                        || upper.contains("\"KEYS\"")
                        || upper.contains("SCAN")))
        });
        let replaces = leaves.iter().any(|leaf| leaf.path.iter().any(|key| key == "$out"));
        if empties {
            self.add("", Noun::Thing { text: "all that is in a database".into(), realm: Realm::Data });
        } else if replaces {
            self.add(
                "",
                Noun::Thing { text: "what the collection of `$out` holds".into(), realm: Realm::Data },
            );
        }
    }
}

/// The names and values of a call, laid flat.
struct Call<'a> {
    /// The words of the tool's name, and of what an argument says is to be done.
    verbs: Vec<String>,
    leaves: Vec<Leaf<'a>>,
}

struct Leaf<'a> {
    /// The names on the way, in small letters with `_`.
    path: Vec<String>,
    value: &'a Value,
}

impl Leaf<'_> {
    fn key(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    fn is_on(&self) -> bool {
        *self.value == Value::Bool(true) || self.value.as_str() == Some("true")
    }

    fn is_off(&self) -> bool {
        *self.value == Value::Bool(false) || self.value.as_str() == Some("false")
    }

    fn says(&self, words: &[&str]) -> bool {
        self.value.as_str().is_some_and(|text| words.iter().any(|word| text.eq_ignore_ascii_case(word)))
    }
}

impl Call<'_> {
    fn does(&self, words: &[&str]) -> bool {
        self.verbs.iter().any(|verb| words.contains(&verb.as_str()))
    }

    fn any(&self, fits: impl Fn(&Leaf<'_>) -> bool) -> bool {
        self.leaves.iter().any(fits)
    }

    /// Rights for everybody, all rights for somebody, and rules that are gone round.
    fn rights(&self) -> Option<(&'static str, Realm)> {
        const EVERYBODY: &[&str] = &[
            "anyone",
            "anyone_with_link",
            "everyone",
            "allusers",
            "allauthenticatedusers",
            "public-read",
            "public-read-write",
            "system:unauthenticated",
            "system:anonymous",
            "*",
        ];
        const CHANGES: &[&str] = &["update", "edit", "set", "change", "modify", "patch", "put"];
        let shares = self.does(&[
            "share",
            "sharing",
            "permission",
            "permissions",
            "acl",
            "policy",
            "grant",
            "access",
            "iam",
            "binding",
            "bind",
            "apply",
        ]);
        let grantee = |leaf: &Leaf<'_>| {
            matches!(
                leaf.key(),
                "type"
                    | "role"
                    | "scope"
                    | "principal"
                    | "grantee"
                    | "acl"
                    | "member"
                    | "members"
                    | "audience"
                    | "visibility"
                    | "access"
                    | "general_access"
                    | "share_with"
            ) && leaf.says(EVERYBODY)
        };
        let unknown_subject =
            |leaf: &Leaf<'_>| leaf.says(&["system:unauthenticated", "system:anonymous", "allUsers"]);
        let open_policy = |leaf: &Leaf<'_>| {
            leaf.value.as_str().is_some_and(|text| {
                let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
                bare.contains("\"Effect\":\"Allow\"")
                    && (bare.contains("\"Principal\":\"*\"")
                        || bare.contains("\"Principal\":{\"AWS\":\"*\"}"))
            }) || leaf.key() == "principal" && leaf.says(&["*"])
        };
        if shares && self.any(grantee) || self.any(unknown_subject) || self.any(open_policy) {
            return Some(("give rights to everybody", Realm::Rights));
        }
        let everything = |leaf: &Leaf<'_>| {
            leaf.value.as_str().is_some_and(|text| {
                text.ends_with("AdministratorAccess")
                    || matches!(text, "cluster-admin" | "roles/owner" | "roles/editor")
            })
        };
        if self.does(&[
            "attach", "bind", "binding", "grant", "add", "create", "put", "apply", "set", "assign", "update",
        ]) && self.any(everything)
        {
            return Some(("give all rights to somebody", Realm::Rights));
        }
        let writes_with = |leaf: &Leaf<'_>| leaf.key() == "read_only" && leaf.is_off();
        if self.does(&["key", "keys"]) && self.does(&["deploy", "ssh"]) && self.any(writes_with) {
            return Some(("give a key that may write to somebody", Realm::Rights));
        }
        let shown = |leaf: &Leaf<'_>| {
            leaf.key() == "visibility" && leaf.says(&["public"]) || leaf.key() == "private" && leaf.is_off()
        };
        if self.does(CHANGES) && self.any(shown) {
            return Some(("show to everybody what was private", Realm::Rights));
        }
        let bypasses = |leaf: &Leaf<'_>| {
            let key = leaf.key();
            let named = key.starts_with("bypass")
                || key.starts_with("override_")
                || key.contains("ignore_protection")
                || matches!(key, "admin" | "admin_override" | "skip_protection" | "dismiss_protection");
            named && leaf.is_on()
        };
        if self.does(&["merge", "push", "update", "deploy", "delete", "create", "publish"])
            && self.any(bypasses)
        {
            return Some(("go round a rule that protects something", Realm::Rights));
        }
        if self.does(&["protection"]) && self.does(CHANGES) && self.leaves.iter().any(Leaf::is_off) {
            return Some(("take away what protects a branch", Realm::Rights));
        }
        // What keeps watch, switched off.
        let watch = [
            "logging",
            "trail",
            "guardduty",
            "detector",
            "alarm",
            "alarms",
            "firewall",
            "mfa",
            "audit",
            "monitoring",
            "backup",
            "backups",
            "protection",
            "waf",
            "flowlogs",
        ];
        if self.does(&["stop", "disable", "deactivate", "suspend", "turn"]) && self.does(&watch) {
            return Some(("switch off what keeps watch", Realm::Rights));
        }
        None
    }

    /// Somebody who may do everything from then on.
    fn made_master(&self) -> Option<(&'static str, Realm)> {
        const PEOPLE: &[&str] = &[
            "access",
            "collaborator",
            "collaborators",
            "invitation",
            "invite",
            "member",
            "members",
            "membership",
            "permission",
            "permissions",
            "role",
            "roles",
            "user",
            "users",
        ];
        const GIVES: &[&str] = &[
            "add", "assign", "change", "create", "edit", "grant", "invite", "put", "set", "share", "update",
        ];
        let master = |leaf: &Leaf<'_>| {
            matches!(
                leaf.key(),
                "access"
                    | "access_level"
                    | "permission"
                    | "permission_level"
                    | "permissions"
                    | "role"
                    | "roles"
            ) && leaf.says(&["admin", "administrator", "owner", "superadmin", "super_admin", "superuser"])
        };
        (self.does(PEOPLE) && self.does(GIVES) && self.any(master))
            .then_some(("give all rights to somebody", Realm::Rights))
    }

    /// What a tool keeps of what it may do itself: `{"key": "blockedCommands", "value": []}`.
    fn own_rules(&self) -> Option<(&'static str, Realm)> {
        const HOW: &[&str] =
            &["allow", "allowed", "block", "blocked", "denied", "deny", "disabled", "enabled", "forbidden"];
        const WHAT: &[&str] = &[
            "command",
            "commands",
            "directories",
            "folders",
            "guard",
            "paths",
            "permissions",
            "roots",
            "sandbox",
            "tools",
        ];
        let sets = self.does(&["set", "update", "change", "edit", "modify", "write", "configure", "put"]);
        let config = self.does(&["config", "configuration", "setting", "settings", "preferences"]);
        let named = |text: &str| {
            let words = words(text);
            let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
            words.len() <= 4 && has(HOW) && has(WHAT)
        };
        let rule = |leaf: &Leaf<'_>| {
            leaf.path.iter().any(|key| named(key))
                || matches!(leaf.key(), "key" | "name" | "setting" | "option")
                    && leaf.value.as_str().is_some_and(named)
        };
        (sets && config && self.any(rule)).then_some(("change what a tool may do", Realm::Rights))
    }

    /// Money, and mail that somebody else gets from then on.
    fn owed(&self) -> Option<(&'static str, Realm)> {
        const MONEY: &[&str] = &["charge", "charges", "payment", "payments", "transfer", "transfers"];
        // A link or an intent is only asked to be paid, and an issue is transferred, too.
        let asks = self.does(&["intent", "intents", "link", "links", "method", "methods", "draft", "issue"]);
        let moved = |leaf: &Leaf<'_>| matches!(leaf.key(), "amount" | "amount_cents" | "currency");
        if !asks && (self.does(&["pay"]) || self.does(MONEY) && self.any(moved) && self.writes()) {
            return Some(("move money", Realm::Outside));
        }
        let onward = |leaf: &Leaf<'_>| {
            let named = leaf.path.iter().any(|key| {
                key.starts_with("forward") || key.starts_with("redirect") || key.contains("auto_forward")
            });
            named && leaf.value.as_str().is_some_and(|text| text.contains('@'))
        };
        let rule = ["filter", "filters", "rule", "rules", "forwarding", "autoforward", "settings"];
        (self.does(&rule) && self.writes() && self.any(onward))
            .then_some(("hand mail on to somebody from then on", Realm::Outside))
    }

    fn writes(&self) -> bool {
        self.does(&[
            "add", "capture", "charge", "confirm", "create", "edit", "enable", "execute", "make", "pay",
            "put", "send", "set", "submit", "update",
        ])
    }

    /// What others notice at once.
    fn outside(&self) -> Option<(&'static str, Realm)> {
        let forced = |leaf: &Leaf<'_>| matches!(leaf.key(), "force" | "force_push") && leaf.is_on();
        if self.does(&["ref", "refs", "reference", "branch", "push"]) && self.any(forced) {
            return Some(("overwrite history that others have", Realm::Outside));
        }
        if self.does(&["payout", "payouts", "refund", "refunds", "withdrawal", "withdraw", "transfer_funds"])
            && self.does(&["create", "send", "make", "issue", "execute", "submit", "post"])
        {
            return Some(("move money", Realm::Outside));
        }
        // What runs for whoever uses it; a container is stopped and started every day.
        if self.does(&["deactivate", "suspend", "disable", "lock"])
            && self.does(&["user", "users", "account", "accounts"])
        {
            return Some(("lock somebody out", Realm::Outside));
        }
        if self.does(&["pause", "suspend", "hibernate"])
            && self.does(&[
                "project",
                "cluster",
                "database",
                "service",
                "server",
                "account",
                "site",
                "warehouse",
            ])
        {
            return Some(("stop what runs for users", Realm::Outside));
        }
        let none = |leaf: &Leaf<'_>| {
            matches!(leaf.key(), "replicas" | "desired_count" | "desired_capacity" | "min_size")
                && leaf.value.as_u64() == Some(0)
        };
        let many = |leaf: &Leaf<'_>| {
            leaf.value.as_str().is_some_and(|text| {
                text == "*"
                    || words(text)
                        .iter()
                        .any(|word| matches!(word.as_str(), "prod" | "production" | "prd" | "all"))
            })
        };
        if self.any(none) && self.any(many) {
            return Some(("stop what runs for users", Realm::Outside));
        }
        if self.does(&["unpublish"]) {
            return Some(("take away a package that others use", Realm::Outside));
        }
        None
    }

    /// A container that is not held in, as an object or as the text of a manifest.
    fn machine(&self) -> Option<&'static str> {
        let starts =
            self.does(&["run", "create", "start", "apply", "deploy", "launch", "replace", "patch", "update"]);
        if !starts {
            return None;
        }
        let rights = |leaf: &Leaf<'_>| {
            let key = leaf.key();
            matches!(key, "privileged" | "host_pid" | "host_ipc") && leaf.is_on()
                || matches!(key, "pid_mode" | "ipc_mode" | "userns_mode") && leaf.says(&["host"])
                || matches!(key, "cap_add" | "capabilities" | "add")
                    && leaf.says(&["ALL", "SYS_ADMIN", "CAP_SYS_ADMIN"])
                || leaf
                    .path
                    .iter()
                    .any(|name| matches!(name.as_str(), "binds" | "volumes" | "mounts" | "host_path"))
                    && leaf.value.as_str().is_some_and(lends)
        };
        let manifest = |leaf: &Leaf<'_>| {
            leaf.value.as_str().filter(|text| text.contains('\n')).is_some_and(|text| {
                let bare: String = text.chars().filter(|c| !matches!(c, ' ' | '"' | '\'')).collect();
                ["privileged:true", "hostPID:true", "hostIPC:true", "hostPath:{path:/}", "docker.sock"]
                    .iter()
                    .any(|part| bare.contains(part))
                    || bare.contains("hostPath:\npath:/\n")
            })
        };
        (self.any(rights) || self.any(manifest)).then_some("this machine, or a node of the cluster,")
    }
}

/// What of this machine a container must not get: all of it, or the engine that starts containers.
fn lends(bind: &str) -> bool {
    let here = bind.split(':').next().unwrap_or(bind);
    here == "/" || here.ends_with("docker.sock") || here.ends_with("containerd.sock") || here == "/etc"
}

fn is_mutation(text: &str) -> bool {
    let text = text.trim_start();
    text.get(..8).is_some_and(|word| word.eq_ignore_ascii_case("mutation")) && text.contains('{')
}

/// Whether a mutation deletes something, or gives it to somebody else.
fn takes_away(mutation: &str) -> bool {
    let body = mutation.split_once('{').map_or(mutation, |(_, body)| body);
    let mut names = body.split(|c: char| !c.is_alphanumeric()).filter(|name| !name.is_empty());
    names.any(|name| {
        ["delete", "remove", "destroy", "archive", "purge", "transfer"].iter().any(|verb| {
            name.strip_prefix(verb).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        })
    })
}

/// Everything that a call was given, with the names that lead to it.
fn leaves(input: &Object) -> Vec<Leaf<'_>> {
    fn walk<'a>(path: &[String], value: &'a Value, out: &mut Vec<Leaf<'a>>) {
        if out.len() >= MOST || path.len() > 12 {
            return;
        }
        match value {
            Value::Object(object) => {
                for (key, value) in object {
                    let mut path = path.to_vec();
                    path.push(if key.starts_with('$') { key.clone() } else { plain(key) });
                    walk(&path, value, out);
                }
            }
            Value::Array(list) if !list.is_empty() => list.iter().for_each(|value| walk(path, value, out)),
            value => out.push(Leaf { path: path.to_vec(), value }),
        }
    }
    let mut out = Vec::new();
    for (key, value) in input {
        // What is said to people is said, not done.
        if keys::is_words(&plain(key)) && value.is_string() {
            continue;
        }
        walk(&[if key.starts_with('$') { key.clone() } else { plain(key) }], value, &mut out);
    }
    out
}
