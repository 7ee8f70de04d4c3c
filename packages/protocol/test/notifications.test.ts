import { describe, expect, it } from 'vitest';

import { type NotificationName, notifications, saysListChanged } from '../src/notifications.ts';
import { latestRevision } from '../src/revision.ts';
import { describeMisfit } from '../src/shape.ts';

const all = Object.values(notifications);

describe('the table of notifications', () => {
  it('has those of 2026-07-28, by who sends them', () => {
    const modern = all.filter(({ revisions }) => (revisions as readonly string[]).includes(latestRevision));
    expect(modern.map(({ method, sentBy }) => `${method} ${sentBy}`).sort()).toEqual([
      'notifications/cancelled both',
      'notifications/message server',
      'notifications/progress server',
      'notifications/prompts/list_changed server',
      'notifications/resources/list_changed server',
      'notifications/resources/updated server',
      'notifications/subscriptions/acknowledged server',
      'notifications/tasks server',
      'notifications/tools/list_changed server',
    ]);
  });

  it('names each method once', () => {
    expect(new Set(all.map(({ method }) => method)).size).toBe(all.length);
  });

  it('says which of them tell that a list changed', () => {
    const changes = [...all.map(({ method }) => method), 'toString'];
    expect(changes.filter(saysListChanged)).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
    ]);
  });

  it.each<[NotificationName, object, string | undefined]>([
    ['cancelled', { requestId: 7 }, undefined],
    ['cancelled', { requestId: '', reason: 'late', _meta: {} }, undefined],
    ['cancelled', { requestId: null }, 'params.requestId must be a string or an integer'],
    ['cancelled', { requestId: 1, reason: {} }, 'params.reason must be a string'],
    ['progress', { progressToken: 'a', progress: 0.5, total: 1, message: '' }, undefined],
    ['progress', { progress: 1 }, 'params.progressToken must be present'],
    ['progress', { progressToken: 1, progress: '1' }, 'params.progress must be a finite number'],
    ['message', { level: 'info', data: null }, undefined],
    ['message', { level: 'info' }, 'params.data must be present'],
    ['elicitationCompleted', { elicitationId: 7 }, 'params.elicitationId must be a string'],
    ['rootsListChanged', {}, undefined],
    ['resourceUpdated', { uri: 7 }, 'params.uri must be a string'],
    ['toolsListChanged', {}, undefined],
    ['subscriptionAcknowledged', { notifications: { toolsListChanged: true, resourceSubscriptions: [] } }, undefined],
    [
      'subscriptionAcknowledged',
      { notifications: { resourceSubscriptions: [1] } },
      'params.notifications.resourceSubscriptions[0] must be a string',
    ],
  ])('checks the params of %s: %j', (name, params, sentence) => {
    const misfit = notifications[name].params(params);
    expect(misfit && describeMisfit('params', misfit)).toBe(sentence);
  });
});
