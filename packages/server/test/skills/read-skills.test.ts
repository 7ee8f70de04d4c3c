import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { createServer } from '@switchyard/server';
import { readSkills } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { useTemporaryFolder } from '../../../stores/test/temporary-folder.ts';
import { openMemory } from '../memory-route.ts';

/** What happens between the listing of a folder and the opening of its files. */
const opening = vi.hoisted(() => ({ before: undefined as ((path: string) => Promise<void>) | undefined }));
vi.mock(import('../../src/node/open-inside.ts'), async (importOriginal) => {
  const { openInside } = await importOriginal();
  return {
    openInside: async (root, path) => {
      await opening.before?.(path);
      return openInside(root, path);
    },
  };
});

const newPath = useTemporaryFolder();
const text =
  '---\nname: write-receipts\ndescription: >-\n  Write a receipt\n  for an order.\nmetadata:\n  version: "1.0"\n---\nName the sum.\n';

/** Writes files into a new folder. */
async function folderOf(files: { readonly [path: string]: string | Uint8Array }): Promise<string> {
  const root = newPath('skills');
  await mkdir(root, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

describe('readSkills', () => {
  it('[EXT-13] [EXT-14] reads the skills of a folder, byte for byte, with the frontmatter that they begin with', async () => {
    const root = await folderOf({
      'write-receipts/SKILL.md': text,
      'write-receipts/references/form.md': 'Form\r\n',
      'write-receipts/data.bin': new Uint8Array([0, 255]),
      'write-receipts/.DS_Store': 'left by an editor',
      'notes.txt': 'not a skill',
    });
    const skills = await readSkills(root);
    expect(skills).toEqual([
      {
        frontmatter: {
          name: 'write-receipts',
          description: 'Write a receipt for an order.',
          metadata: { version: '1.0' },
        },
        files: {
          'SKILL.md': new Uint8Array(Buffer.from(text)),
          'data.bin': new Uint8Array([0, 255]),
          'references/form.md': new Uint8Array(Buffer.from('Form\r\n')),
        },
      },
    ]);
    const server = createServer({ name: 'shop', version: '1.0.0' });
    for (const skill of skills) server.skill(skill);
    const { result } = await openMemory(server).request('resources/read', { uri: 'skill://write-receipts/SKILL.md' });
    expect(result?.['contents']).toMatchObject([{ text, mimeType: 'text/markdown' }]);
  });

  it('reads a folder that is one skill, and places skills where it is told', async () => {
    const root = await folderOf({ 'write-receipts/SKILL.md': text });
    const [skill] = await readSkills(join(root, 'write-receipts'), { prefix: 'acme/office' });
    expect(skill?.path).toBe('acme/office/write-receipts');
  });

  it('never follows a link out of a skill: a link is refused', async () => {
    const secret = await folderOf({ 'secret.txt': 'secret' });
    for (const target of [join(secret, 'secret.txt'), secret]) {
      const root = await folderOf({ 'write-receipts/SKILL.md': text });
      await symlink(target, join(root, 'write-receipts', 'link'));
      await expect(readSkills(root)).rejects.toThrow(/neither a file nor a folder/);
    }
  });

  it('says of a link to a skill that it is not followed', async () => {
    const other = await folderOf({ 'write-receipts/SKILL.md': text });
    const root = await folderOf({ 'notes.txt': 'not a skill' });
    await symlink(join(other, 'write-receipts'), join(root, 'write-receipts'));
    await expect(readSkills(root)).rejects.toThrow(/write-receipts is a link to a folder/);
  });

  it.skipIf(process.platform === 'win32')('never waits for what is no file by the time that it is opened', async () => {
    const root = await folderOf({ 'a/SKILL.md': '---\nname: a\ndescription: x\n---\n', 'a/z': 'a file' });
    opening.before = async (path) => {
      if (path !== 'z') return;
      await rm(join(root, 'a', 'z'));
      execFileSync('mkfifo', [join(root, 'a', 'z')]);
    };
    onTestFinished(() => void (opening.before = undefined));
    await expect(readSkills(root)).rejects.toThrow(/a\/z is neither a file nor a folder/);
  });

  it('reads no more folders than a skill may have, empty ones included', async () => {
    const root = await folderOf({ 'a/SKILL.md': '---\nname: a\ndescription: x\n---\n' });
    for (let index = 0; index < 513; index += 1)
      await mkdir(join(root, 'a', `${index % 2}`, `${index}`), { recursive: true });
    await expect(readSkills(root)).rejects.toThrow(/a skill has at most 512 folders/);
  });

  it.each<[string, { readonly [path: string]: string | Uint8Array }, RegExp]>([
    [
      'text that is no UTF-8',
      { 'a/SKILL.md': Buffer.from('---\nname: a\ndescription: \xe9\n---\n', 'latin1') },
      /is no UTF-8/,
    ],
    ['a folder without SKILL.md', { 'a/x.md': '' }, /has no SKILL\.md/],
    ['no frontmatter', { 'a/SKILL.md': '# A' }, /must begin with frontmatter/],
    ['frontmatter without an end', { 'a/SKILL.md': '---\nname: a\n' }, /must begin with frontmatter/],
    ['frontmatter that is no YAML', { 'a/SKILL.md': '---\nname: [\n---\n' }, /is no YAML/],
    ['a key twice', { 'a/SKILL.md': '---\nname: a\nname: b\ndescription: x\n---\n' }, /is no YAML/],
    ['frontmatter that is a list', { 'a/SKILL.md': '---\n- a\n---\n' }, /needs a frontmatter/],
    ['no description', { 'a/SKILL.md': '---\nname: a\n---\n' }, /description/],
    [
      "another name than its folder's",
      { 'b/SKILL.md': '---\nname: a\ndescription: x\n---\n' },
      /must be that of the folder/,
    ],
    ['aliases in a circle', { 'a/SKILL.md': '---\nname: a\ndescription: x\nm: &m\n  self: *m\n---\n' }, /circular/],
    [
      'frontmatter that is too long',
      { 'a/SKILL.md': `---\nname: a\ndescription: x\nm:\n${'  - x\n'.repeat(20_000)}---\n` },
      /more than 65536 characters/,
    ],
    [
      'too many bytes',
      { 'a/SKILL.md': '---\nname: a\ndescription: x\n---\n', 'a/big': new Uint8Array(16 * 1024 * 1024) },
      /at most 16777216 bytes/,
    ],
  ])('[EXT-14] refuses %s, and names the file', async (_what, files, message) => {
    const root = await folderOf(files);
    const error: unknown = await readSkills(root).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toMatch(message);
    expect(String(error)).toContain('skills');
  });

  it('refuses aliases that would grow without end', async () => {
    const levels = Array.from(
      { length: 20 },
      (_, level) =>
        `l${level}: &l${level} [${Array.from({ length: 10 }, () => (level === 0 ? 'x' : `*l${level - 1}`)).join(', ')}]`,
    );
    const root = await folderOf({ 'a/SKILL.md': `---\nname: a\ndescription: x\n${levels.join('\n')}\n---\n` });
    const error: unknown = await readSkills(root).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toMatch(/a\/SKILL\.md: .*alias/i);
  });

  it('reads every file, whatever it is called', async () => {
    const root = await folderOf({
      'a/SKILL.md': '---\nname: a\ndescription: x\n---\n',
      'a/__proto__': 'one',
      'a/constructor': 'two',
    });
    const [skill] = await readSkills(root);
    expect(Object.keys(skill?.files ?? {}).toSorted()).toEqual(['SKILL.md', '__proto__', 'constructor']);
  });

  it('says of a folder that is not there what the system says', async () => {
    await expect(readSkills(newPath('nowhere'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
