import { createMemoryRecordStore } from '@switchyard/stores';
import { describeRecordStore } from './contracts/record-store.ts';

describeRecordStore('in memory', {
  open: async (options) => createMemoryRecordStore(options),
  newPlace: () => '',
  isShared: false,
});
