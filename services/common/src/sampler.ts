import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

/** A sampler, and what was wrong with the settings that should name it. */
export interface ChosenSampler {
  sampler: Sampler;
  problem?: string;
}

/**
 * The sampler that `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG` name, as the SDK would create it; wrong settings sample
 * everything. It is not left to the SDK because requests ask it first, see `RequestTracer`.
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration
 */
export function samplerOf(env: NodeJS.ProcessEnv): ChosenSampler {
  const name = env['OTEL_TRACES_SAMPLER']?.trim() ?? '';
  switch (name) {
    case 'always_on':
      return { sampler: new AlwaysOnSampler() };
    case 'always_off':
      return { sampler: new AlwaysOffSampler() };
    case 'traceidratio':
      return ratioSampler(env);
    case 'parentbased_always_off':
      return { sampler: new ParentBasedSampler({ root: new AlwaysOffSampler() }) };
    case 'parentbased_traceidratio': {
      const { sampler: root, ...problem } = ratioSampler(env);
      return { sampler: new ParentBasedSampler({ root }), ...problem };
    }
    case '':
    case 'parentbased_always_on':
      return { sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }) };
    default:
      return {
        sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
        problem: `OTEL_TRACES_SAMPLER: '${name}' is not known; every trace is sampled`,
      };
  }
}

function ratioSampler(env: NodeJS.ProcessEnv): ChosenSampler {
  const text = env['OTEL_TRACES_SAMPLER_ARG']?.trim() ?? '';
  const ratio = Number(text);
  if (text !== '' && ratio >= 0 && ratio <= 1) return { sampler: new TraceIdRatioBasedSampler(ratio) };
  const problem = `OTEL_TRACES_SAMPLER_ARG: '${text}' is not a number from 0 to 1; every trace is sampled`;
  return { sampler: new TraceIdRatioBasedSampler(1), problem };
}
