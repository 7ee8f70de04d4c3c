import { acceptsBatches, legacyRevisions, sendsVersionHeader } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';

describe('a legacy revision', () => {
  it('has batches at 2025-03-26 alone', () => {
    expect(legacyRevisions.filter(acceptsBatches)).toEqual(['2025-03-26']);
  });

  it('is repeated in the header MCP-Protocol-Version since 2025-06-18', () => {
    expect(legacyRevisions.filter(sendsVersionHeader)).toEqual(['2025-11-25', '2025-06-18']);
  });
});
