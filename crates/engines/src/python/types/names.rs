//! Rule names. The checker is older than the tool that a project may have besides it, and that one has renamed some.

use std::borrow::Cow;

/// What the checker calls a rule, words of its message, and what the tool calls it today. Some rules were split; the first row that
/// fits counts.
static RENAMED: &[(&str, &str, &str)] = &[
    ("invalid-attribute-override", "", "incompatible-attribute-override"),
    ("invalid-key", "can only be subscripted", "non-literal-typed-dict-key"),
    ("invalid-key", "", "invalid-typed-dict-key"),
    ("invalid-method-override", "", "incompatible-method-override"),
    ("invalid-overload", "at least two overloads", "single-overload"),
    ("invalid-overload", "must be followed by", "missing-overload-implementation"),
    ("invalid-overload", "consistently", "inconsistent-overload-decorator"),
    ("invalid-overload", "should be applied only", "misplaced-overload-decorator"),
    ("invalid-overload", "", "inconsistent-overload-implementation"),
    ("unresolved-attribute", " in union `", "missing-union-attribute"),
    ("unresolved-attribute", "", "missing-attribute"),
    ("unresolved-import", "", "import-not-found"),
];

/// Names of today that are not told apart here, and what the checker would call them.
static FINER: &[(&str, &str)] = &[
    ("incompatible-mutable-override", "invalid-attribute-override"),
    ("incompatible-property-override", "invalid-method-override"),
    ("lost-keyword-for-regular-parameter", "invalid-method-override"),
    (CONSTRUCTOR_KEY, "invalid-key"),
];

const CONSTRUCTOR_KEY: &str = "unknown-typed-dict-constructor-key";

/// The comment that leaves findings out by name.
const COMMENT: &str = "ty: ignore[";

/// What the tool says today. `before` is the text up to the place: a key behind a bracket is looked up, any other is given.
pub(super) fn today(known: &'static str, message: &str, before: &str) -> &'static str {
    let row = RENAMED.iter().find(|(old, words, _)| *old == known && message.contains(words));
    match row.map_or(known, |(_, _, new)| new) {
        "invalid-typed-dict-key" if !before.ends_with('[') => CONSTRUCTOR_KEY,
        name => name,
    }
}

/// What the checker knows the rule by.
pub(super) fn known(name: &str) -> &str {
    let renamed = RENAMED.iter().find(|(_, _, new)| *new == name).map(|(old, _, _)| *old);
    renamed.or_else(|| FINER.iter().find(|(new, _)| *new == name).map(|(_, old)| *old)).unwrap_or(name)
}

/// The text with comments that the checker understands. They are the last thing on their lines, so that no place changes.
pub(super) fn with_known_comments(text: &str) -> Cow<'_, str> {
    if !text.contains(COMMENT) {
        return Cow::Borrowed(text);
    }
    let mut new = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(COMMENT) {
        let (before, after) = rest.split_at(at + COMMENT.len());
        new.push_str(before);
        let end = after.find([']', '\n']).unwrap_or(after.len());
        let names: Vec<&str> = after[..end].split(',').map(|name| known(name.trim())).collect();
        new.push_str(&names.join(", "));
        rest = &after[end..];
    }
    new.push_str(rest);
    if new == text { Cow::Borrowed(text) } else { Cow::Owned(new) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways() {
        assert_eq!(
            today("unresolved-attribute", "Object of type `str` has no attribute `x`", ""),
            "missing-attribute"
        );
        let union = "Attribute `x` is not defined on `None` in union `str | None`";
        assert_eq!(today("unresolved-attribute", union, ""), "missing-union-attribute");
        assert_eq!(today("invalid-key", "Unknown key \"a\"", "d["), "invalid-typed-dict-key");
        assert_eq!(today("invalid-key", "Unknown key \"a\"", "d = {"), "unknown-typed-dict-constructor-key");
        assert_eq!(today("invalid-return-type", "", ""), "invalid-return-type");
        assert_eq!(known("missing-union-attribute"), "unresolved-attribute");
        assert_eq!(known("lost-keyword-for-regular-parameter"), "invalid-method-override");
        assert_eq!(known("unresolved-attribute"), "unresolved-attribute");
        let registry = ty_python_semantic::default_lint_registry();
        let olds = RENAMED.iter().map(|(old, _, _)| old).chain(FINER.iter().map(|(_, old)| old));
        for old in olds {
            assert!(registry.get(old).is_ok(), "{old}");
        }
    }

    #[test]
    fn comments_keep_their_lines() {
        let text = "x.y  # ty: ignore[missing-attribute, invalid-key]\nz = 'ü'  # ty: ignore[x\n";
        assert_eq!(
            with_known_comments(text),
            "x.y  # ty: ignore[unresolved-attribute, invalid-key]\nz = 'ü'  # ty: ignore[x\n"
        );
        assert!(matches!(with_known_comments("a  # ty: ignore[invalid-key]\n"), Cow::Borrowed(_)));
    }
}
