import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { describe, expect, it } from 'vitest';

import { type CheckResult, toJunit } from '../../src/index.ts';

/** The elements of a document; throws for what is not well-formed. */
function parseXml(xml: string): readonly { readonly name: string; readonly attributes: Record<string, string> }[] {
  const elements: { readonly name: string; readonly attributes: Record<string, string> }[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => elements.push({ name, attributes }));
  parser.write(xml).close();
  return elements;
}

function report(verdict: CheckResult['verdict'], evidence: string): CheckResult {
  const probe = { what: evidence, verdict, evidence };
  return {
    number: 1,
    name: 'discovery',
    title: 'Discovery is exact',
    asks: 'It asks.',
    spec: ['a#b'],
    verdict,
    evidence,
    probes: [probe],
  };
}

describe('a JUnit report', () => {
  it('has a case for each check, and counts those that failed and were skipped', () => {
    const elements = parseXml(
      toJunit({
        server: { name: 'orders' },
        transport: 'http',
        checks: [report('passed', 'good'), report('failed', 'bad'), report('skipped', 'not here')],
      }),
    );
    expect(elements.map(({ name }) => name)).toEqual([
      'testsuites',
      'testsuite',
      'testcase',
      'system-out',
      'testcase',
      'failure',
      'system-out',
      'testcase',
      'skipped',
      'system-out',
    ]);
    expect(elements[1]?.attributes).toMatchObject({
      name: 'switchyard check orders (http)',
      tests: '3',
      failures: '1',
      skipped: '1',
    });
    expect(elements[5]?.attributes['message']).toBe('bad');
  });

  it.each([
    ['markup', `<script>&"'</failure>]]>`],
    ['control characters and escapes', 'a\u0000b\u001b[31mc\u0008\u009b2J'],
    ['what XML has no form for', '\ufffe\uffff\ud800 x \udc00'],
    ['a new document', '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e "x">]>&e;'],
    ['lines', 'a\r\nb\u2028c\td'],
    ['much', 'x'.repeat(100_000)],
  ])('is well-formed whatever a server says: %s', (_what, text) => {
    const xml = toJunit({
      server: { name: text },
      transport: 'stdio',
      checks: [report('failed', text), report('skipped', text)],
    });
    const elements = parseXml(xml);
    expect(elements.filter(({ name }) => name === 'testcase')).toHaveLength(2);
    expect(
      elements.every(({ name }) =>
        ['testsuites', 'testsuite', 'testcase', 'failure', 'skipped', 'system-out'].includes(name),
      ),
    ).toBe(true);
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    expect(xml.length).toBeLessThan(60_000);
  });
});
