import { describe, expect, it } from 'vitest';

import { metaKeys } from '../src/meta-key.ts';
import { readRequestMetadata, requestMetaKeys } from '../src/metadata.ts';

const { protocolVersion, clientCapabilities, clientInfo, logLevel } = metaKeys;
const required = { [protocolVersion]: '2026-07-28', [clientCapabilities]: {} };

describe('readRequestMetadata', () => {
  it('[META-01] [META-02] [META-03] reads what a request says of itself', () => {
    const meta = {
      ...required,
      [clientInfo]: { name: 'probe', version: '0.1.0' },
      [logLevel]: 'warning',
      progressToken: 0,
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    };
    expect(readRequestMetadata({ _meta: meta })).toStrictEqual({
      metadata: {
        protocolVersion: '2026-07-28',
        clientCapabilities: {},
        clientInfo: { name: 'probe', version: '0.1.0' },
        logLevel: 'warning',
        progressToken: 0,
        meta,
      },
    });
  });

  it('[META-04] does without clientInfo', () => {
    expect(readRequestMetadata({ _meta: required })).toMatchObject({ metadata: { clientInfo: undefined } });
  });

  it.each<[string, object | undefined, string]>([
    ['no params', undefined, 'params._meta must be present'],
    ['no _meta', {}, 'params._meta must be present'],
    ['_meta that is null', { _meta: null }, 'params._meta must be an object'],
    ['_meta that is an array', { _meta: [] }, 'params._meta must be an object'],
    ['no version', { _meta: { [clientCapabilities]: {} } }, protocolVersion],
    ['a version that is a number', { _meta: { ...required, [protocolVersion]: 20260728 } }, protocolVersion],
    ['a version that is null', { _meta: { ...required, [protocolVersion]: null } }, protocolVersion],
    ['no capabilities', { _meta: { [protocolVersion]: '2026-07-28' } }, clientCapabilities],
    ['capabilities that are an array', { _meta: { ...required, [clientCapabilities]: [] } }, clientCapabilities],
  ])('[META-05] [VER-17] says what is wrong with %s', (_, params, part) => {
    expect(readRequestMetadata(params as never)).toStrictEqual({ problem: expect.stringContaining(part) });
  });

  it.each<[string, object, string]>([
    ['sampling that is true', { [clientCapabilities]: { sampling: true } }, '.sampling must be an object'],
    ['roots that are null', { [clientCapabilities]: { roots: null } }, '.roots must be an object'],
    ['an elicitation form that is text', { [clientCapabilities]: { elicitation: { form: 'x' } } }, '.elicitation.form'],
    ['settings of an extension that are text', { [clientCapabilities]: { extensions: { 'a.b/c': 'x' } } }, 'a.b/c'],
    ['clientInfo without a version', { [clientInfo]: { name: 'probe' } }, '.version must be present'],
    ['an unknown log level', { [logLevel]: 'verbose' }, logLevel],
    ['a log level in capitals', { [logLevel]: 'ERROR' }, logLevel],
    ['a progress token that is a fraction', { progressToken: 1.5 }, 'progressToken'],
    ['a progress token that is null', { progressToken: null }, 'progressToken'],
  ])('[META-20] [LOG-05] says what is wrong with %s', (_, meta, part) => {
    expect(readRequestMetadata({ _meta: { ...required, ...meta } })).toStrictEqual({
      problem: expect.stringContaining(part),
    });
  });

  it.each([
    { sampling: { tools: {} } },
    { elicitation: { form: {}, url: {}, hologram: {} } },
    { extensions: { 'com.example/zip': { level: 9 } } },
    { experimental: { x: 1 } },
    { teleport: true },
  ])('[META-21] [version-06] tolerates the capabilities %j', (capabilities) => {
    expect(readRequestMetadata({ _meta: { ...required, [clientCapabilities]: capabilities } })).toMatchObject({
      metadata: { clientCapabilities: capabilities },
    });
  });

  it.each([['007'], [0], [''], [-1]])('[PROG-04] keeps the progress token %j with its type', (progressToken) => {
    expect(readRequestMetadata({ _meta: { ...required, progressToken } })).toMatchObject({
      metadata: { progressToken },
    });
  });

  it('[META-22] ignores keys of `_meta` and members that nobody knows, and hands them on', () => {
    const meta = { ...required, 'com.example/new': [1], 'io.modelcontextprotocol/later': { x: 1 }, odd: null };
    expect(readRequestMetadata({ _meta: meta, future: true })).toMatchObject({
      metadata: { protocolVersion: '2026-07-28', meta },
    });
  });

  it('[META-22] reads no member that only a prototype carries', () => {
    const params = JSON.parse(`{"__proto__":{"_meta":${JSON.stringify(required)}}}`) as object;
    expect(readRequestMetadata(params as never)).toStrictEqual({ problem: expect.stringContaining('_meta') });
  });
});

describe('requestMetaKeys', () => {
  it('[META-01] [META-02] [META-03] are those that a request speaks of itself with, and no others', () => {
    expect([...requestMetaKeys].sort()).toEqual([
      'io.modelcontextprotocol/clientCapabilities',
      'io.modelcontextprotocol/clientInfo',
      'io.modelcontextprotocol/logLevel',
      'io.modelcontextprotocol/protocolVersion',
      'progressToken',
    ]);
  });
});
