export { isTextDeeperThan as isDeeperThan, MAX_MESSAGE_DEPTH as DEFAULT_MAX_DEPTH } from '@switchyard/protocol';
