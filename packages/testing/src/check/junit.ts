import { cleanText, redactSecrets } from '@switchyard/guards';

import type { ChecksReport } from './run-checks.ts';

const MAX_CHARS = 4_000;

/**
 * Renders a report as JUnit XML, which continuous integration shows: one test case for each check, with what was found
 * and what the specification asks. Text of the server is cleaned and its credentials are masked; what XML 1.0 has no
 * form for is left out.
 */
export function toJunit({ checks, server, transport }: ChecksReport): string {
  const count = (verdict: string): number => checks.filter((check) => check.verdict === verdict).length;
  const name = typeof server?.['name'] === 'string' ? server['name'] : 'server';
  const cases = checks.map(({ number, title, name: id, verdict, evidence, asks, spec, probes }) => {
    const all = probes.map((probe) => `${probe.verdict} ${probe.what}: ${probe.evidence}`).join('\n');
    const body = [
      ...(verdict === 'failed'
        ? [`<failure message="${escape(evidence)}">${escape(`${asks}\n${all}`)}</failure>`]
        : []),
      ...(verdict === 'skipped' ? [`<skipped message="${escape(evidence)}"/>`] : []),
      `<system-out>${escape(`${asks}\n${spec.join(', ')} (2026-07-28)\n${all}`)}</system-out>`,
    ];
    return `    <testcase classname="switchyard.check.${id}" name="${escape(`${number} ${title}`)}">\n${body.map((line) => `      ${line}`).join('\n')}\n    </testcase>`;
  });
  const counts = `tests="${checks.length}" failures="${count('failed')}" skipped="${count('skipped')}" errors="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${escape(`switchyard check ${name} (${transport})`)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\n': '&#10;',
};

function escape(text: string): string {
  const clean = cleanText(redactSecrets(text), { maxChars: MAX_CHARS, keepNewlines: true }).replace(
    /[\ufffe\uffff]/g,
    '',
  );
  return clean.replace(/[&<>"'\n]/g, (character) => entities[character] ?? '');
}
