import { choice, headerList, httpUrl, share, text, wholeNumber } from './formats.ts';
import { variable } from './variable.ts';

/** The variables of OpenTelemetry, under the names of its specification. */
export const TELEMETRY_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    {
      meaning: 'The base URL of an OpenTelemetry receiver (OTLP over HTTP, JSON). It gets traces and metrics.',
      fallback: 'no telemetry is exported',
    },
    httpUrl,
  ),
  OTEL_EXPORTER_OTLP_HEADERS: variable(
    { meaning: 'Headers of each export. Their values can be secrets.', fallback: 'no further headers' },
    headerList,
  ),
  OTEL_SERVICE_NAME: variable(
    { meaning: 'The name of this service in exported telemetry.', default: 'parley' },
    text('1 to 100 characters', (value) => value.length <= 100),
  ),
  OTEL_TRACES_SAMPLER_ARG: variable(
    {
      meaning:
        'The share of the traces that begin in this service and are exported. ' +
        'A request with `traceparent` follows the decision of its caller.',
      default: '1',
    },
    share,
  ),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: variable(
    {
      meaning: 'Whether exported spans contain prompts, replies, arguments of tools and their results.',
      default: 'false',
    },
    choice('true', 'false'),
  ),
  OTEL_BSP_SCHEDULE_DELAY: variable(
    { meaning: 'How many milliseconds spans wait for their export.', default: '5000' },
    wholeNumber(10, 60_000),
  ),
  OTEL_METRIC_EXPORT_INTERVAL: variable(
    { meaning: 'How many milliseconds are between two exports of metrics.', default: '60000' },
    wholeNumber(100, 3_600_000),
  ),
} as const;
