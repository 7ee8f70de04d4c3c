import { isJsonObject, type JsonObject } from '@switchyard/protocol';

/** One request of a plan, and what becomes of its answer. */
export interface SnapshotStep {
  /** What it is for; unique in its plan. */
  readonly label: string;
  readonly method: string;
  /** `{name}` in a text is replaced by a kept value. */
  readonly params: JsonObject;
  /** From 1. Default: 1. The retries of a step go to the next instance each time. */
  readonly instance: number;
  /** A name among the plan's callers, whose headers are sent. */
  readonly caller?: string;
  /** What the client declares. Default: that it may be asked for anything. */
  readonly capabilities?: JsonObject;
  /** Asks for progress. */
  readonly progress: boolean;
  /** How requests for input are answered, by key. */
  readonly answers: { readonly [key: string]: JsonObject };
  /** Values of the result that later steps use: names, and paths such as `structuredContent.review`. */
  readonly keep: { readonly [name: string]: string };
}

/** A fixed conversation with the instances of one server, which it starts. */
export interface SnapshotPlan {
  readonly name: string;
  /** Where the snapshot is written; from the plan's folder. */
  readonly output?: string;
  readonly transport: 'http' | 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /**
   * `{folder}` is a new folder that is removed afterwards, `{key}` 32 new random bytes, `{secret:NAME}` a new random
   * text.
   */
  readonly env: { readonly [name: string]: string };
  /** From the plan's folder. Default: that. */
  readonly cwd: string;
  readonly instances: number;
  readonly callers: { readonly [name: string]: { readonly [header: string]: string } };
  /** What the snapshot says about the deployment, beside transport and instances. */
  readonly deployment: JsonObject;
  readonly steps: readonly SnapshotStep[];
}

/** A plan that cannot be meant; the message names the member and what was expected. */
export class SnapshotPlanError extends Error {
  override readonly name = 'SnapshotPlanError';
}

const MAX_STEPS = 200;
const MAX_INSTANCES = 16;

/** Reads a plan from a parsed file. Throws a SnapshotPlanError. */
export function readSnapshotPlan(value: unknown): SnapshotPlan {
  if (!isJsonObject(value) || value['format'] !== 'switchyard-plan/1')
    throw new SnapshotPlanError('expected an object with format: switchyard-plan/1');
  const { format: _format, ...plan } = value;
  assertKnown('the plan', plan, [
    'name',
    'output',
    'transport',
    'command',
    'args',
    'env',
    'cwd',
    'instances',
    'callers',
    'deployment',
    'steps',
  ]);
  const { output, transport = 'http', instances = 1, steps } = plan;
  if (transport !== 'http' && transport !== 'stdio') throw new SnapshotPlanError('transport must be http or stdio');
  if (!Number.isInteger(instances) || (instances as number) < 1 || (instances as number) > MAX_INSTANCES)
    throw new SnapshotPlanError(`instances must be a number from 1 to ${MAX_INSTANCES}`);
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > MAX_STEPS)
    throw new SnapshotPlanError(`steps must be a list of 1 to ${MAX_STEPS} requests`);
  const callers = objectAt('callers', plan['callers']);
  const read: SnapshotPlan = {
    name: textAt('name', plan['name']),
    ...(output === undefined ? {} : { output: textAt('output', output) }),
    transport,
    command: textAt('command', plan['command']),
    args: textsAt('args', plan['args']),
    env: textMapAt('env', plan['env']),
    cwd: plan['cwd'] === undefined ? '.' : textAt('cwd', plan['cwd']),
    instances: instances as number,
    callers: Object.fromEntries(
      Object.entries(callers).map(([name, headers]) => [name, textMapAt(`callers.${name}`, headers)]),
    ),
    deployment: objectAt('deployment', plan['deployment']),
    steps: steps.map((step, index) => readStep(`steps[${index}]`, step)),
  };
  assertConsistent(read);
  return read;
}

function readStep(at: string, value: unknown): SnapshotStep {
  if (!isJsonObject(value)) throw new SnapshotPlanError(`${at} must be an object with label and method`);
  assertKnown(at, value, [
    'label',
    'method',
    'params',
    'instance',
    'caller',
    'capabilities',
    'progress',
    'answers',
    'keep',
  ]);
  const { instance = 1, caller, progress = false, capabilities } = value;
  if (typeof progress !== 'boolean') throw new SnapshotPlanError(`${at}.progress must be true or false`);
  const answers = objectAt(`${at}.answers`, value['answers']);
  return {
    label: textAt(`${at}.label`, value['label']),
    method: textAt(`${at}.method`, value['method']),
    params: objectAt(`${at}.params`, value['params']),
    instance: Number(instance),
    ...(caller === undefined ? {} : { caller: textAt(`${at}.caller`, caller) }),
    ...(capabilities === undefined ? {} : { capabilities: objectAt(`${at}.capabilities`, capabilities) }),
    progress,
    answers: Object.fromEntries(
      Object.entries(answers).map(([key, answer]) => [key, objectAt(`${at}.answers.${key}`, answer)]),
    ),
    keep: textMapAt(`${at}.keep`, value['keep']),
  };
}

function assertConsistent({ steps, instances, callers }: SnapshotPlan): void {
  const labels = new Set<string>();
  for (const { label, instance, caller } of steps) {
    if (labels.has(label)) throw new SnapshotPlanError(`the label ${JSON.stringify(label)} stands for two steps`);
    labels.add(label);
    if (!Number.isInteger(instance) || instance < 1 || instance > instances)
      throw new SnapshotPlanError(`${label} goes to instance ${instance}; the plan has ${instances}`);
    if (caller !== undefined && !Object.hasOwn(callers, caller))
      throw new SnapshotPlanError(`${label} is sent by ${caller}, who is none of the callers`);
  }
}

function assertKnown(where: string, value: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new SnapshotPlanError(`${where} has "${unknown}"; it may have ${known.join(', ')}`);
}

function textAt(at: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new SnapshotPlanError(`${at} must be a text`);
  return value;
}

function textsAt(at: string, value: unknown = []): readonly string[] {
  if (!Array.isArray(value) || !value.every((entry) => typeof entry === 'string'))
    throw new SnapshotPlanError(`${at} must be a list of texts`);
  return value;
}

function objectAt(at: string, value: unknown = {}): JsonObject {
  if (!isJsonObject(value)) throw new SnapshotPlanError(`${at} must be an object`);
  return value;
}

function textMapAt(at: string, value: unknown): { readonly [name: string]: string } {
  const map = objectAt(at, value);
  const broken = Object.entries(map).find(([, entry]) => typeof entry !== 'string');
  if (broken !== undefined) throw new SnapshotPlanError(`${at}.${broken[0]} must be a text`);
  return map as { readonly [name: string]: string };
}
