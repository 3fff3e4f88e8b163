//! What the client writes down while it works: only as far as it tells which calls belong together.

use serde_json::Value;

/// The message that a call is a part of, from the end of the transcript. Each call of a message has a line of its own, and all lines
/// of one message have its id.
pub(crate) fn message_of(end: &str, call: &str) -> Option<String> {
    if call.is_empty() {
        return None;
    }
    let lines = end.lines().rev().filter(|line| line.contains(call));
    lines.filter_map(|line| serde_json::from_str::<Value>(line).ok()).find_map(|line| {
        let message = &line["message"];
        let parts = message["content"].as_array()?;
        let is_call = |part: &Value| part["type"] == "tool_use" && part["id"] == call;
        parts.iter().any(is_call).then(|| message["id"].as_str().map(str::to_owned))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: &str = concat!(
        "rt of a line\"}\n",
        r#"{"type":"assistant","message":{"id":"msg_1","content":[{"type":"tool_use","id":"toolu_a"}]}}"#,
        "\n",
        r#"{"type":"assistant","message":{"id":"msg_1","content":[{"type":"tool_use","id":"toolu_b"}]}}"#,
        "\n",
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_a"}]}}"#,
        "\n",
        r#"{"type":"assistant","message":{"id":"msg_2","content":[{"type":"tool_use","id":"toolu_c"}]}}"#,
        "\n",
    );

    #[test]
    fn calls_of_one_message_are_told_from_those_of_the_next() {
        let of = |call: &str| message_of(END, call);
        assert_eq!(of("toolu_a").as_deref(), Some("msg_1"));
        assert_eq!(of("toolu_b"), of("toolu_a"));
        assert_eq!(of("toolu_c").as_deref(), Some("msg_2"));
        assert_eq!((of("toolu_d"), of("")), (None, None));
    }
}
