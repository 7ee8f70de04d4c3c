export { flipCharacter } from './check/altered-state.ts';
export { type CheckDescription } from './check/check.ts';
export { findInstructions, type FoundInstruction } from './check/find-instructions.ts';
export { type InstructionRule, instructionRules, type TextKind } from './check/instruction-rules.ts';
export { toJunit } from './check/junit.ts';
export { type Probe, type Verdict } from './check/probe.ts';
export { finishRounds, type InputAnswers, type Subject } from './check/rounds.ts';
export { type CheckReport, checks, type ChecksReport, runChecks, type RunChecksOptions } from './check/run-checks.ts';
export { type CheckCalls } from './check/site.ts';
export { errorOf, resultOf } from './check/seen.ts';
export { UnlistedToolError } from './check/unlisted-tool-error.ts';
export { connectInMemory, type InMemoryOptions } from './connect-in-memory.ts';
export { isRunning } from './is-running.ts';
export { type Script, type ScriptedServer, scriptedServer, tool } from './scripted-server.ts';
export { type Plan, PlanError, type PlanStep, readPlan } from './snapshot/plan.ts';
export { type RanStep, runPlan, type RunPlanOptions } from './snapshot/run-plan.ts';
export { assertSnapshot, renderSnapshot, SnapshotError } from './snapshot/snapshot.ts';
export { type InstanceCommand, type Instances, startInstances } from './snapshot/start-instances.ts';
export { compareTranscripts, type Difference } from './transcript/compare-transcripts.ts';
export {
  type Explained,
  explainDifferences,
  type Explanation,
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
  clientInfo,
  type Conversation,
  type ConversationOptions,
  type ConversationRequest,
  createConversation,
  type Exchange,
} from './wire/conversation.ts';
export { everyCapability, type ModernMetadata, modernMeta } from './wire/modern-message.ts';
export { openWire } from './wire/open-wire.ts';
export {
  type Answer,
  type Wire,
  WireError,
  type WireErrorCode,
  type WireLimits,
  type WireSend,
  type WireTarget,
} from './wire/wire.ts';
