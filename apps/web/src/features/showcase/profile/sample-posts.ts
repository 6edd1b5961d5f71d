import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { SAMPLE_PERSON } from "../sample-person.ts";
import type { MachinePicture } from "./picture.tsx";

/** What a visitor may add to a post. */
export const ADDITIONS = ["Something", "Video", "Article"] as const;
/** A sample's text is a key; what a visitor wrote stands as it is. */
export type Said = {
  readonly by: string;
  readonly minutesAgo: number;
  readonly text: { readonly key: TextKey } | string;
};
export type Post = Said & {
  readonly id: number;
  readonly kind: "Post" | (typeof ADDITIONS)[number];
  readonly title?: TextKey;
  readonly picture?: MachinePicture | undefined;
  /** By others. */
  readonly likes: number;
  readonly shares: number;
  /** By the visitor. */
  readonly liked?: boolean;
  readonly shared?: boolean;
  readonly comments: readonly Said[];
};

const said = (by: string, minutesAgo: number, key: TextKey): Said => ({ by, minutesAgo, text: { key } });
const { name: SELIN } = SAMPLE_PERSON;
const [BORA, ELIF, MINA] = ["Bora Tekin", "Elif Kaya", "Mina Haddad"] as const;

export const SAMPLE_POSTS: readonly Post[] = [
  {
    ...said(BORA, 32, "templateSample.postFloor"),
    ...{ id: 4, kind: "Post", picture: "nar-1", likes: 5, shares: 2 },
    comments: [said(ELIF, 20, "templateSample.commentLight"), said(SELIN, 12, "templateSample.commentThanks")],
  },
  {
    ...said(MINA, 150, "templateSample.postTea"),
    ...{ id: 3, kind: "Something", likes: 12, shares: 1, comments: [] },
  },
  {
    ...said(ELIF, 1_500, "templateSample.postReels"),
    ...{ id: 2, kind: "Video", picture: "mercan-1", likes: 21, shares: 6 },
    comments: [said(BORA, 1_440, "templateSample.commentQuiet")],
  },
  {
    ...said(SELIN, 7_200, "templateSample.articleText"),
    ...{ id: 1, kind: "Article", title: "templateSample.articleTitle", picture: "kuzey-1", likes: 48, shares: 17 },
    comments: [],
  },
];

/** What others did lately: the text names them. */
export const ACTIVITIES: readonly (readonly [by: string, minutesAgo: number, text: TextKey])[] = [
  [ELIF, 8, "templateSample.activityLiked"],
  [BORA, 47, "templateSample.activityCommented"],
  [MINA, 190, "templateSample.activityFollows"],
  ["Tarık Usta", 1_620, "templateSample.activityGroup"],
  ["Nora Lind", 4_400, "templateSample.activityLiked"],
];
