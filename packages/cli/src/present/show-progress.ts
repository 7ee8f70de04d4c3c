/** How far a call has come, as its server reports it. */
export interface ReportedProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Answers progress as one short text; the message comes from outside and is cleaned by who shows it. */
export function showProgress(name: string, { progress, total, message }: ReportedProgress): string {
  const share = total === undefined || total <= 0 ? undefined : Math.floor((100 * progress) / total);
  const count = share === undefined ? `${progress}` : `${Math.min(100, share)} % (${progress} of ${total})`;
  return message === undefined ? `${name}: ${count}` : `${name}: ${count}, ${message}`;
}

/** A call that its server turned into a task, as it stands. */
export interface ReportedTask {
  readonly status: string;
  readonly statusMessage?: string | undefined;
}

/** Answers how a task stands as one short text; the message comes from outside and is cleaned by who shows it. */
export function showTask(name: string, { status, statusMessage }: ReportedTask): string {
  const state = status === 'input_required' ? 'waits for an answer' : status;
  return statusMessage === undefined ? `${name}: ${state}` : `${name}: ${state}, ${statusMessage}`;
}
