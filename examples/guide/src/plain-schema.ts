import { createServer, ToolError } from '@switchyard/server';

export const rooms = createServer({ name: 'rooms', version: '1.0.0' });

const input = {
  type: 'object',
  properties: { room: { type: 'string', maxLength: 64 }, seats: { type: 'integer', minimum: 1, default: 1 } },
  required: ['room'],
  additionalProperties: false,
};

// The arguments have passed the schema, but their type is JsonObject, whose members are unknown: narrow what you use.
rooms.tool('find_seats', { description: 'Whether a room has enough seats', input }, ({ room, seats }) => {
  if (typeof room !== 'string' || typeof seats !== 'number') throw new ToolError('room and seats are needed');
  return { room, enough: seats <= 12 };
});
