//! Which model fixes a file, and what it may do, by the rules that were broken.

use model::Config;
use regex_lite::Regex;

use crate::Violation;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    Haiku,
    Sonnet,
    Opus,
}

impl Tier {
    pub fn as_str(self) -> &'static str {
        match self {
            Tier::Haiku => "haiku",
            Tier::Sonnet => "sonnet",
            Tier::Opus => "opus",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Tier::Haiku, Tier::Sonnet, Tier::Opus].into_iter().find(|tier| tier.as_str() == name)
    }
}

/// Everything that the client is started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub model: String,
    pub tools: Vec<String>,
    pub max_turns: u64,
    /// Seconds.
    pub timeout: u64,
    /// Lines that begin with `[hook:…]`.
    pub said: Vec<String>,
    /// Why this one, for `HOOK_DEBUG_MODEL`.
    pub why: String,
}

impl Choice {
    /// `seconds` is `HOOK_SUBPROCESS_TIMEOUT`, which wins over everything.
    pub fn of(violations: &[Violation], config: &Config, seconds: Option<u64>) -> Self {
        let mut said = Vec::new();
        // All of a code: `D[0-9]+` is about docstrings, not about `MD013`.
        let mut pattern = |tier: &str, text: &str| match Regex::new(&format!("^(?:{text})$")) {
            Ok(regex) => Some(regex),
            Err(error) => {
                said.push(format!(
                    "[hook:warning] subprocess.tiers.{tier}.patterns is not a regular expression and matches nothing: {error}"
                ));
                None
            }
        };
        let patterns = [
            pattern("haiku", &config.haiku_patterns),
            pattern("sonnet", &config.sonnet_patterns),
            pattern("opus", &config.opus_patterns),
        ];
        let hits = |index: usize| {
            let pattern = patterns[index].as_ref();
            pattern.is_some_and(|pattern| violations.iter().any(|found| names(pattern, &found.code)))
        };
        let (sonnet, opus) = (hits(1), hits(2));
        let many = u64::try_from(violations.len()).unwrap_or(u64::MAX) > config.volume_threshold;
        let tier = match () {
            () if many || opus => Tier::Opus,
            () if sonnet => Tier::Sonnet,
            () => Tier::Haiku,
        };
        let mut why = format!("(count={}, opus_codes={opus}, sonnet_codes={sonnet})", violations.len());
        let (tier, model) = match &config.global_model_override {
            Some(name) => {
                why = format!("(count={}, opus_codes=n/a, sonnet_codes=n/a)", violations.len());
                (Tier::named(name).unwrap_or(Tier::Haiku), name.clone())
            }
            None => {
                if tier == Tier::Haiku {
                    let matches = |code: &str| patterns.iter().flatten().any(|pattern| names(pattern, code));
                    let mut codes: Vec<&str> =
                        violations.iter().map(|violation| violation.code.as_str()).collect();
                    codes.sort_unstable();
                    codes.dedup();
                    said.extend(codes.into_iter().filter(|code| !matches(code)).map(|code| {
                        format!("[hook:warning] unmatched pattern '{code}', defaulting to haiku")
                    }));
                }
                (tier, tier.as_str().to_owned())
            }
        };
        let (tools, turns, timeout) = match tier {
            Tier::Haiku => (&config.haiku_tools, config.haiku_turns, config.haiku_timeout),
            Tier::Sonnet => (&config.sonnet_tools, config.sonnet_turns, config.sonnet_timeout),
            Tier::Opus => (&config.opus_tools, config.opus_turns, config.opus_timeout),
        };
        Self {
            model,
            tools: tools
                .split(',')
                .map(|tool| tool.trim().to_owned())
                .filter(|tool| !tool.is_empty())
                .collect(),
            max_turns: config.max_turns_override.unwrap_or(turns),
            timeout: seconds.or(config.timeout_override).unwrap_or(timeout),
            said,
            why,
        }
    }
}

/// Whether a pattern means this rule: all of its code, or all of one part of `lint/suspicious/noExplicitAny`.
fn names(pattern: &Regex, code: &str) -> bool {
    pattern.is_match(code) || code.split('/').any(|part| pattern.is_match(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(codes: &[&str]) -> Vec<Violation> {
        let one = |code: &&str| Violation {
            file: "a".into(),
            line: 1,
            column: 1,
            code: (*code).to_owned(),
            message: String::new(),
            linter: "ruff",
            built_in: false,
        };
        codes.iter().map(one).collect()
    }

    fn chosen(codes: &[&str], config: &Config) -> Choice {
        Choice::of(&violations(codes), config, None)
    }

    #[test]
    fn the_hardest_rule_decides_and_many_are_hard() {
        let config = Config::default();
        for (codes, model) in [
            (&["F841"][..], "haiku"),
            (&["F841", "C901"], "sonnet"),
            (&["D401"], "sonnet"),
            (&["MD013"], "sonnet"),
            (&["TD002"], "haiku"),
            (&["unresolved-attribute", "C901"], "opus"),
            (&["F841"; 5], "haiku"),
            (&["F841"; 6], "opus"),
        ] {
            assert_eq!(chosen(codes, &config).model, model, "{codes:?}");
        }
    }

    #[test]
    fn a_pattern_may_name_a_part_of_a_rule() {
        let config = Config { sonnet_patterns: "complexity|noExplicitAny".into(), ..Config::default() };
        for (code, model) in [
            ("lint/suspicious/noExplicitAny", "sonnet"),
            ("lint/complexity/noForEach", "sonnet"),
            ("lint/suspicious/noExplicitAnyMore", "haiku"),
        ] {
            assert_eq!(chosen(&[code], &config).model, model, "{code}");
        }
    }

    #[test]
    fn the_tier_says_what_the_model_may_do() {
        let opus = chosen(&["unresolved-attribute"], &Config::default());
        assert_eq!((opus.tools.join(","), opus.max_turns, opus.timeout), ("Edit,Read,Write".into(), 15, 600));
        let haiku = chosen(&["F841"], &Config::default());
        assert_eq!((haiku.tools.join(","), haiku.max_turns, haiku.timeout), ("Edit,Read".into(), 10, 120));
    }

    #[test]
    fn overrides_win() {
        let config = Config {
            global_model_override: Some("opus".into()),
            max_turns_override: Some(3),
            timeout_override: Some(7),
            ..Config::default()
        };
        let choice = Choice::of(&violations(&["F841", "odd"]), &config, Some(999));
        assert_eq!((choice.model.as_str(), choice.max_turns, choice.timeout), ("opus", 3, 999));
        assert_eq!(choice.tools.join(","), "Edit,Read,Write");
        assert_eq!(choice.said, Vec::<String>::new());
    }

    #[test]
    fn an_unknown_rule_is_said_and_falls_to_the_small_model() {
        let choice = chosen(&["indentation", "indentation"], &Config::default());
        assert_eq!(choice.said, ["[hook:warning] unmatched pattern 'indentation', defaulting to haiku"]);
        let broken = Config { haiku_patterns: "(".into(), ..Config::default() };
        assert!(
            chosen(&["F841"], &broken).said[0]
                .contains("subprocess.tiers.haiku.patterns is not a regular expression")
        );
    }
}
