import type { Check } from './check.ts';
import { noAsking } from './no-asking.ts';
import { failed, type Probe, skipped } from './probe.ts';
import { outcomeOf } from './retry-check.ts';
import { ask, finishRounds, nameOfSubject } from './rounds.ts';
import { asksForInput, describeAnswer } from './seen.ts';

/** Check 7: a retry goes to any instance. */
export const otherInstanceCheck: Check = {
  number: 7,
  name: 'other-instance',
  title: 'Retry on another instance',
  asks: 'Requests are independent of each other: whatever instance gets a retry needs nothing but what stands in it.',
  spec: ['basic/index#statelessness', 'basic/patterns/mrtr#basic-workflow'],
  async run(site) {
    const what = 'the retry on another instance';
    if (site.client.instances < 2) return [skipped(what, 'no second instance was given')];
    const asking = await site.asking();
    if (asking === undefined) return [skipped(what, await noAsking(site))];
    const { subject } = asking;
    const label = `other instance: ${nameOfSubject(subject)}`;
    const asked = await ask(site.client, label, subject);
    if (!asksForInput(asked)) return [failed(what, `asked again, it got ${describeAnswer(asked)}`, asked)];
    const retries = await finishRounds(site.client, label, subject, asked, {
      answers: site.calls.answers,
      instanceOf: (round) => 1 + (round % 2),
    });
    const outcome = withShared(outcomeOf(retries, ' on another instance'), site.calls.sharedVariable);
    if (outcome.verdict === 'passed') return [outcome];
    const control = await ask(site.client, `${label}: control`, subject);
    const alone = await finishRounds(site.client, `${label}: control`, subject, control, {
      answers: site.calls.answers,
    });
    // What fails everywhere says nothing about instances.
    return outcomeOf(alone).verdict === 'passed'
      ? [outcome]
      : [skipped(what, 'the retry fails on the same instance, too, see check 6')];
  },
};

/** What the instances were given so that they can serve each other's retries belongs to what was seen. */
function withShared(probe: Probe, variable: string | undefined): Probe {
  if (variable === undefined) return probe;
  return { ...probe, evidence: `${probe.evidence}; both were started with the same random ${variable}` };
}
