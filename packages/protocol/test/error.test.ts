import { describe, expect, it } from 'vitest';

import { errorCodes, legacyResourceNotFound } from '../src/error-code.ts';
import { ProtocolError } from '../src/protocol-error.ts';

describe('error codes', () => {
  it('[MSG-19] [MSG-24] are those of the specification, with the status that carries them', () => {
    expect(errorCodes).toEqual({
      parseError: { code: -32700, status: 400 },
      invalidRequest: { code: -32600, status: 400 },
      methodNotFound: { code: -32601, status: 404 },
      invalidParams: { code: -32602, status: 200 },
      internalError: { code: -32603, status: 200 },
      headerMismatch: { code: -32020, status: 400 },
      missingRequiredClientCapability: { code: -32021, status: 400 },
      unsupportedProtocolVersion: { code: -32022, status: 400 },
    });
  });

  it('[MSG-20] [MSG-23] [MSG-25] [MSG-26] hold none that the specification keeps for others', () => {
    const codes: number[] = Object.values(errorCodes).map(({ code }) => code);
    for (const code of codes)
      expect(code < -32_099 || code > -32_000 || (code <= -32_020 && code >= -32_022)).toBe(true);
    expect(codes).not.toContain(legacyResourceNotFound);
  });
});

describe('ProtocolError', () => {
  it('[MSG-15] has the code and message of the wire, and data only where given', () => {
    expect(new ProtocolError('methodNotFound', 'no').body()).toStrictEqual({ code: -32601, message: 'no' });
    expect(new ProtocolError('invalidParams', 'no', { data: null }).body()).toStrictEqual({
      code: -32602,
      message: 'no',
      data: null,
    });
  });

  it('[MSG-28] takes a positive application code, carried by status 200 unless told otherwise', () => {
    expect(new ProtocolError(1001, 'quota')).toMatchObject({ code: 1001, status: 200 });
    expect(new ProtocolError(1001, 'quota', { status: 429 })).toMatchObject({ code: 1001, status: 429 });
    expect(new ProtocolError('invalidParams', 'no', { status: 400 })).toMatchObject({ code: -32602, status: 400 });
  });

  it('hides everything else that is thrown behind a reference', () => {
    const known = new ProtocolError('invalidParams', 'no');
    expect(ProtocolError.from(known, 'r1')).toBe(known);
    for (const thrown of [new Error('secret'), 'secret', { secret: 1 }, null, undefined]) {
      const error = ProtocolError.from(thrown, 'r1');
      expect(error.body()).toStrictEqual({
        code: -32603,
        message: 'Internal error (reference r1)',
        data: { reference: 'r1' },
      });
      expect(error.cause).toBe(thrown);
    }
  });
});
