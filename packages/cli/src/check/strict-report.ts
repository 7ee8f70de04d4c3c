import type { CheckResult, ChecksReport, Probe } from '@switchyard/testing';

/** Answers the report in which every check fails of which anything could not be applied. */
export function strictReport(report: ChecksReport): ChecksReport {
  return { ...report, checks: report.checks.map(strictResult) };
}

function strictResult(check: CheckResult): CheckResult {
  const left = check.probes.filter(isLeftOut);
  if (check.verdict === 'failed' || left.length === 0) return check;
  const evidence = left.map((probe) => `${probe.what}: ${probe.evidence}`).join('; ');
  return { ...check, verdict: 'failed', evidence: `not applied: ${evidence}` };
}

/** What the transport does not have could never be applied. */
function isLeftOut({ verdict, isForeign }: Probe): boolean {
  return verdict === 'skipped' && isForeign !== true;
}
