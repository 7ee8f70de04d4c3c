export { type CheckDescription } from './check/check.ts';
export { toJunit } from './check/junit.ts';
export { type Probe, type ProbeVerdict } from './check/probe.ts';
export { finishRounds, type InputAnswers, type MultiRoundRequest } from './check/rounds.ts';
export { type CheckResult, type ChecksReport, runChecks, type RunChecksOptions } from './check/run-checks.ts';
export { type CheckCallOptions } from './check/site.ts';
export { errorOf, resultOf } from './check/seen.ts';
export { UnlistedToolError } from './check/unlisted-tool-error.ts';
export { connectInMemory, type InMemoryOptions } from './connect-in-memory.ts';
export {
  createScriptedServer,
  type ScriptedServer,
  type ServerScript,
  toolDefinition,
} from './create-scripted-server.ts';
export { diagnose, type DiagnoseOptions } from './doctor/diagnose.ts';
export { type Diagnosis, type StepReport } from './doctor/diagnosis.ts';
export { type DoctorCall } from './doctor/doctor-site.ts';
export { type StepVerdict } from './doctor/finding.ts';
export { readSnapshotPlan, type SnapshotPlan, SnapshotPlanError, type SnapshotStep } from './snapshot/snapshot-plan.ts';
export { type RanSnapshotStep, runSnapshotPlan, type RunSnapshotPlanOptions } from './snapshot/run-snapshot-plan.ts';
export { assertSnapshot, renderSnapshot, SnapshotError } from './snapshot/snapshot.ts';
export {
  type ServerInstanceCommand,
  type ServerInstances,
  startServerInstances,
  type StartServerInstancesOptions,
} from './snapshot/start-server-instances.ts';
export { compareTranscripts, type TranscriptDifference } from './transcript/compare-transcripts.ts';
export {
  type DifferenceExplanation,
  explainDifferences,
  type ExplainedDifferences,
  readExplanations,
} from './transcript/explain-differences.ts';
export { toTranscript } from './transcript/to-transcript.ts';
export {
  parseTranscript,
  renderTranscript,
  type Transcript,
  type TranscriptEntry,
  TranscriptError,
  type TranscriptHead,
} from './transcript/transcript.ts';
export {
  createRawClient,
  type RawClient,
  type RawClientOptions,
  type RawExchange,
  type RawRequestOptions,
} from './raw/raw-client.ts';
export { type ModernMetadata } from './raw/modern-message.ts';
export { openRawConnection } from './raw/open-raw-connection.ts';
export {
  type RawAnswer,
  type RawConnection,
  RawConnectionError,
  type RawConnectionErrorCode,
  type RawConnectionLimits,
  type RawConnectionTarget,
  type RawSendOptions,
} from './raw/raw-connection.ts';
