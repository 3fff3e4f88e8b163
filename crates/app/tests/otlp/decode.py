"""Reads OTLP requests with the official messages, and prints what is in them: decode.py FILE...

Names of files begin with `logs` or `metrics`. A field that the messages do not know is a failure.
"""

import json
import sys

from google.protobuf.unknown_fields import UnknownFieldSet
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest


def known(message):
    assert len(UnknownFieldSet(message)) == 0, f"unknown fields in {type(message).__name__}"
    for _, value in message.ListFields():
        for one in value if hasattr(value, "append") or hasattr(value, "add") else [value]:
            if hasattr(one, "ListFields"):
                known(one)


def value(any_value):
    kind = any_value.WhichOneof("value")
    if kind == "array_value":
        return [value(one) for one in any_value.array_value.values]
    return getattr(any_value, kind)


def attributes(pairs):
    return {pair.key: value(pair.value) for pair in pairs}


out = {"records": [], "metrics": {}, "resources": []}
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        body = file.read()
    is_logs = path.rsplit("/", 1)[-1].startswith("logs")
    request = (ExportLogsServiceRequest if is_logs else ExportMetricsServiceRequest).FromString(body)
    known(request)
    for group in request.resource_logs if is_logs else request.resource_metrics:
        out["resources"].append(attributes(group.resource.attributes))
        for scope in group.scope_logs if is_logs else group.scope_metrics:
            assert scope.scope.name == "plimsoll" and scope.scope.version
            for record in scope.log_records if is_logs else []:
                assert record.time_unix_nano <= record.observed_time_unix_nano
                assert value(record.body) == record.event_name == "plimsoll.decision"
                one = attributes(record.attributes)
                out["records"].append({**one, "severity": record.severity_text})
            for metric in scope.metrics if not is_logs else []:
                kind = metric.WhichOneof("data")
                data = getattr(metric, kind)
                assert data.aggregation_temporality == 2, "not cumulative"
                assert kind == "histogram" or data.is_monotonic
                for point in data.data_points:
                    assert point.start_time_unix_nano <= point.time_unix_nano
                    labels = ",".join(f"{pair.key}={value(pair.value)}" for pair in point.attributes)
                    if kind == "histogram":
                        assert len(point.bucket_counts) == len(point.explicit_bounds) + 1
                        assert sum(point.bucket_counts) == point.count
                        shown = {"count": point.count, "sum": point.sum}
                    else:
                        shown = point.as_int if point.WhichOneof("value") == "as_int" else point.as_double
                    series = out["metrics"].setdefault(metric.name, {}).setdefault(labels, [])
                    series.append([point.time_unix_nano, shown])
print(json.dumps(out))
