import { expect, it } from 'vitest';

import { changingListNames, changingLists } from '../src/changing-lists.ts';
import { serverCapabilities } from '../src/model/capabilities.ts';
import { subscriptionFilter } from '../src/model/subscription-filter.ts';
import { notifications } from '../src/notifications.ts';

it('has each list whose change a notification tells, once', () => {
  const told = Object.values(notifications).filter(({ saysListChanged }) => saysListChanged);
  expect(changingListNames.map((list) => changingLists[list].notification)).toEqual(told);
});

it.each(changingListNames)('names a capability and a member of filters for %s', (list) => {
  expect(serverCapabilities({ [list]: { listChanged: 'yes' } })).toBeDefined();
  expect(subscriptionFilter({ [changingLists[list].wanted]: 'yes' })).toBeDefined();
});
