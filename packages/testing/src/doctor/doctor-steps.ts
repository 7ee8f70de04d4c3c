import type { DoctorStep } from './doctor-step.ts';
import { argumentsStep } from './steps/arguments.ts';
import { authenticationStep } from './steps/authentication.ts';
import { callHeadersStep } from './steps/call-headers.ts';
import { capabilitiesStep } from './steps/capabilities.ts';
import { downstreamStep } from './steps/downstream.ts';
import { endpointStep } from './steps/endpoint.ts';
import { handshakeStep } from './steps/handshake.ts';
import { headersStep } from './steps/headers.ts';
import { idleStep } from './steps/idle.ts';
import { permissionStep } from './steps/permission.ts';
import { progressStep } from './steps/progress.ts';
import { reachStep } from './steps/reach.ts';
import { refusalStep } from './steps/refusal.ts';
import { resultStep } from './steps/result.ts';
import { revisionStep } from './steps/revision.ts';
import { sessionStep } from './steps/session.ts';
import { startStep } from './steps/start.ts';
import { stdoutStep } from './steps/stdout.ts';
import { stdoutLaterStep } from './steps/stdout-later.ts';
import { streamingStep } from './steps/streaming.ts';
import { toolStep } from './steps/tool.ts';

/** Where the doctor looks, in this order: what comes first can be the cause of what comes later, not the other way. */
export const doctorSteps: readonly DoctorStep[] = [
  startStep,
  stdoutStep,
  reachStep,
  endpointStep,
  authenticationStep,
  headersStep,
  handshakeStep,
  revisionStep,
  sessionStep,
  capabilitiesStep,
  streamingStep,
  toolStep,
  argumentsStep,
  callHeadersStep,
  permissionStep,
  refusalStep,
  downstreamStep,
  resultStep,
  progressStep,
  stdoutLaterStep,
  idleStep,
];
