import { z } from 'zod';

/** What both servers of this example say, so that a comparison of them shows their libraries and nothing else. */
export const serverInfo = { name: 'study-server', version: '1.0.0' };

export const instructions =
  'Plan first with plan_study; begin a review with start_review, and keep the handle that it answers.';

export const topicsResource = {
  uri: 'study://topics',
  name: 'topics',
  title: 'Topics',
  description: 'What can be reviewed, and how many cards there are',
  mimeType: 'application/json',
};

export const methodResource = {
  uri: 'study://method',
  name: 'method',
  title: 'Method',
  description: 'How a review goes',
  mimeType: 'text/markdown',
};

export const methodText = 'Look at a card, say the answer aloud, turn it. What was wrong comes back tomorrow.';

export const startReview = {
  title: 'Start a review',
  description:
    'Begins a review of a topic and answers a handle for it. The handle is good for one hour, for the same caller alone.',
  input: z.object({ topic: z.string().max(64) }),
  output: z.object({ handle: z.string(), topic: z.string(), cards: z.number(), done: z.number() }),
  annotations: { readOnlyHint: false, destructiveHint: false },
};

export const reviewStatus = {
  title: 'Status of a review',
  description: 'Answers how far a review is, by the handle that start_review answered.',
  input: z.object({ handle: z.string().max(64) }),
  output: z.object({ topic: z.string(), cards: z.number(), done: z.number() }),
  annotations: { readOnlyHint: true },
};

export const planStudy = {
  title: 'Plan a study session',
  description: 'Plans what to learn, with your goal, your folders and your model. It changes nothing.',
  input: z.object({ hours: z.number().min(1).max(12).default(2) }),
  output: z.object({
    goal: z.string(),
    hours: z.number(),
    folders: z.array(z.string()),
    level: z.string(),
    plan: z.string(),
    accepted: z.boolean(),
  }),
  annotations: { readOnlyHint: true },
};

export const noSuchTopic = 'There is no such topic; study://topics lists them.';
export const noSuchReview =
  'There is no such review: the handle is unknown, has expired or belongs to somebody else. Start a new one.';

/** What `plan_study` asks for, by key. */
export const goalMessage = 'What do you want to be able to do after this session?';
export const goalForm = z.object({ goal: z.string().min(1).max(200) });
export const levelQuestion = questionOf('In one word: for beginners or for experts?', 20);
export const acceptForm = z.object({ accept: z.boolean() });

export function draftQuestion(goal: string, level: string, hours: number) {
  return questionOf(`Plan ${hours} hours for ${level}: ${goal}`, 200);
}

export function acceptMessage(plan: string): string {
  return `Take this plan? ${plan}`;
}

function questionOf(text: string, maxTokens: number) {
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }], maxTokens };
}
