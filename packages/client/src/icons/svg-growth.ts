/** One attribute of an element, as it is written. */
export interface SvgAttribute {
  readonly name: string;
  readonly value: string;
}

/** What draws in an SVG, and what else it draws by referring to it. */
export interface SvgElement {
  readonly name: string;
  readonly id: string | undefined;
  readonly parent: SvgElement | undefined;
  readonly children: SvgElement[];
  /** The ids of what is drawn in its place. */
  readonly copies: readonly string[];
  /** The ids of what it is painted with, and each element under it that says nothing else. */
  readonly paints: readonly string[];
  /** The ids of what is laid over it as a whole. */
  readonly effects: readonly string[];
}

/** What one element comes to. */
interface Growth {
  /** How many elements are drawn for it. */
  readonly drawn: number;
  /** The same with all that they are painted with. */
  readonly work: number;
}

/** Copies of copies grow exponentially. */
const MAX_COPIES = 16;
const MAX_WORK = 100_000;
const MAX_CHAIN = 32;
const OWN_URL = /url\(\s*["']?#([\w.-]+)/gi;

/** Answers an element with its references, as a child of `parent`. */
export function svgElement(
  name: string,
  attributes: readonly SvgAttribute[],
  parent: SvgElement | undefined,
): SvgElement {
  const inherited = attributes.filter((attribute) => /^(?:fill|stroke|marker.*|style)$/i.test(attribute.name));
  const others = attributes.filter((attribute) => !inherited.includes(attribute));
  const links = attributes
    .filter((attribute) => /(?:^|:)href$/i.test(attribute.name))
    .map(({ value }) => value.slice(1));
  const element: SvgElement = {
    name,
    id: attributes.find((attribute) => attribute.name === 'id')?.value,
    parent,
    children: [],
    copies: name === 'use' ? links : [],
    paints: inherited.flatMap(urlsIn),
    effects: [...others.flatMap(urlsIn), ...(name === 'use' ? [] : links)],
  };
  parent?.children.push(element);
  return element;
}

/**
 * Answers whether an SVG draws more than an icon would: copies (`use`), and patterns, masks, markers and the like that
 * are filled with one another multiply what they hold. It counts the elements that a renderer could come to draw, and
 * bounds them by 100,000, copies by 16, chains of references by 32; what refers to itself grows without bound.
 */
export function growsWithoutBound(elements: readonly SvgElement[]): boolean {
  const [root] = elements;
  if (root === undefined) return false;
  if (elements.filter(({ name }) => name === 'use').length > MAX_COPIES) return true;
  const byId = new Map<string, SvgElement>();
  // Where several have one id, the first counts.
  for (const element of elements) if (element.id !== undefined && !byId.has(element.id)) byId.set(element.id, element);
  const known = new Map<SvgElement, Growth>();
  const targets = new Map<SvgElement, number>();
  const boundless: Growth = { drawn: Infinity, work: Infinity };
  return growthOf(root, 0).work > MAX_WORK;

  function growthOf(element: SvgElement, chain: number): Growth {
    const before = known.get(element);
    if (before !== undefined) return before;
    if (chain > MAX_CHAIN) return boundless;
    // Whoever comes back here meanwhile has gone in a circle.
    known.set(element, boundless);
    let [drawn, work] = [1, 1];
    const add = (more: Growth): void => {
      drawn += more.drawn;
      work += more.work;
    };
    for (const child of element.children) add(growthOf(child, chain));
    for (const target of existing(element.copies)) add(growthOf(target, chain + 1));
    for (const target of existing(element.paints)) work += drawn * workAsTarget(target, chain + 1);
    for (const target of existing(element.effects)) work += workAsTarget(target, chain + 1);
    const growth = { drawn, work };
    known.set(element, growth);
    return growth;
  }

  /** What is referred to draws with what it inherits where it stands. */
  function workAsTarget(target: SvgElement, chain: number): number {
    const before = targets.get(target);
    if (before !== undefined) return before;
    targets.set(target, Infinity);
    const own = growthOf(target, chain);
    let { work } = own;
    const inherits = !/Gradient$|^filter$/.test(target.name);
    for (let above = inherits ? target.parent : undefined; above !== undefined; above = above.parent) {
      for (const paint of existing(above.paints)) work += own.drawn * workAsTarget(paint, chain + 1);
    }
    targets.set(target, work);
    return work;
  }

  function existing(ids: readonly string[]): readonly SvgElement[] {
    return ids.flatMap((id) => byId.get(id) ?? []);
  }
}

function urlsIn({ value }: SvgAttribute): readonly string[] {
  return Array.from(value.matchAll(OWN_URL), ([, id = '']) => id);
}
