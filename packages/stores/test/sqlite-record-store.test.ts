import { openSqliteRecordStore } from '@switchyard/stores/sqlite';
import { describeRecordStore } from './contracts/record-store.ts';
import type { RecordStoreUnderTest } from './contracts/record-store/record-stores.ts';
import { describeSharedRecordStore } from './contracts/shared-record-store.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

const newPath = useTemporaryFolder();

const underTest: RecordStoreUnderTest = {
  open: (options, path) => openSqliteRecordStore({ ...options, path }),
  newPlace: () => newPath('records.db'),
  isShared: true,
};
describeRecordStore('in SQLite', underTest);
describeSharedRecordStore('in SQLite', underTest);
