import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import { IconButton, Key } from "@longarm/ui/key.tsx";
import { agoText } from "@longarm/ui/time/ago-text.ts";
import type { FormEvent } from "react";
import { useRef, useState } from "react";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { SAMPLE_PERSON } from "../host.ts";
import type { MachinePicture } from "./cards.tsx";
import { Panel, PersonLine, Picture } from "./cards.tsx";
import css from "./profile.module.css";

/** Posts under a box for another one, and what happened lately beside them. What is written here stays in the page. */
export function Timeline() {
  const { t, language } = useText();
  const [posts, setPosts] = useState(SAMPLE_POSTS);
  return (
    <div className={css["columns"]}>
      <div>
        <PostBox onPost={(post) => setPosts([{ ...post, id: posts.length + 1 }, ...posts])} />
        {posts.map((post) => (
          <PostCard
            key={post.id}
            post={post}
            onChange={(next) => setPosts(posts.map((one) => (one.id === next.id ? next : one)))}
          />
        ))}
      </div>
      <div>
        <Panel title={t("templateSample.activity")} icon="clock">
          <ul className={css["people"]}>
            {ACTIVITIES.map(([by, minutesAgo, text]) => (
              <li key={by}>
                <PersonLine name={by} small={agoText(minutesAgo * MINUTE_MS, language)}>
                  {t(text, { name: by })}
                </PersonLine>
              </li>
            ))}
          </ul>
        </Panel>
      </div>
    </div>
  );
}

/** What goes with a post of the visitor: there is no file to choose in a sample. */
const ADDED: Readonly<Record<(typeof ADDITIONS)[number], readonly [IconName, TextKey, Post["picture"]]>> = {
  Something: ["machine", "templateSample.addPicture", "pera-2"],
  Video: ["camera", "templateSample.addVideo", "mercan-3"],
  Article: ["columns", "templateSample.addArticle", undefined],
};

function PostBox({ onPost }: { readonly onPost: (post: Omit<Post, "id">) => void }) {
  const { t } = useText();
  const [text, setText] = useState("");
  const [kind, setKind] = useState<Post["kind"]>("Post");
  function post(event: FormEvent) {
    event.preventDefault();
    const picture = kind === "Post" ? undefined : ADDED[kind][2];
    onPost({ by: SAMPLE_PERSON.name, minutesAgo: 0, text, kind, picture, likes: 0, shares: 0, comments: [] });
    setText("");
    setKind("Post");
  }
  return (
    <form className={`${css["panel"]} ${css["box"]}`} onSubmit={post}>
      <textarea
        rows={3}
        maxLength={2_000}
        aria-label={t("templateSample.write")}
        placeholder={t("templateSample.write")}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className={css["keys"]}>
        {ADDITIONS.map((one) => (
          <IconButton
            key={one}
            icon={ADDED[one][0]}
            label={t(ADDED[one][1])}
            kind="plain"
            pressed={kind === one}
            onClick={() => setKind(kind === one ? "Post" : one)}
          />
        ))}
        <Key type="submit" kind="brass" disabled={text.trim() === ""}>
          {t("templateSample.post")}
        </Key>
      </div>
    </form>
  );
}

/** A post with its photo, its counts and its comments. */
function PostCard({ post, onChange }: { readonly post: Post; readonly onChange: (post: Post) => void }) {
  const { t, language } = useText();
  const [answer, setAnswer] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const title = t(`templateSample.kind${post.kind}`, { name: post.by });
  function comment(event: FormEvent) {
    event.preventDefault();
    const said: Said = { by: SAMPLE_PERSON.name, minutesAgo: 0, text: answer };
    onChange({ ...post, comments: [...post.comments, said] });
    setAnswer("");
  }
  function reply(to: string) {
    setAnswer(`@${to} `);
    field.current?.focus();
  }
  return (
    <article className={css["panel"]} aria-label={title}>
      <PersonLine name={post.by} small={agoText(post.minutesAgo * MINUTE_MS, language)}>
        {title}
      </PersonLine>
      {post.title && <h2>{t(post.title)}</h2>}
      <SaidText {...post} />
      {post.picture && <Picture of={post.picture} />}
      <div className={css["keys"]}>
        <Key kind="bare" aria-pressed={post.liked ?? false} onClick={() => onChange({ ...post, liked: !post.liked })}>
          <Icon name="heart" filled={post.liked ?? false} />
          {t("templateSample.like")} <span className="num">({post.likes + (post.liked ? 1 : 0)})</span>
        </Key>
        <Key
          kind="bare"
          aria-pressed={post.shared ?? false}
          onClick={() => onChange({ ...post, shared: !post.shared })}
        >
          <Icon name="transfer" />
          {t("templateSample.share")} <span className="num">({post.shares + (post.shared ? 1 : 0)})</span>
        </Key>
      </div>
      <ul className={css["people"]} aria-label={t("templateSample.comments", { count: post.comments.length })}>
        {post.comments.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: comments are only ever added at the end.
          <li key={index}>
            <PersonLine name={one.by} small={agoText(one.minutesAgo * MINUTE_MS, language)}>
              <b>
                <bdi>{one.by}</bdi>
              </b>
            </PersonLine>
            <SaidText {...one} />
            <Key kind="bare" aria-label={t("templateSample.replyTo", { name: one.by })} onClick={() => reply(one.by)}>
              {t("templateSample.reply")}
            </Key>
          </li>
        ))}
      </ul>
      <form className={css["answer"]} onSubmit={comment}>
        <input
          ref={field}
          aria-label={t("templateSample.comment")}
          placeholder={t("templateSample.comment")}
          maxLength={500}
          value={answer}
          onChange={(event) => setAnswer(event.target.value)}
        />
        <Key type="submit" disabled={answer.trim() === ""}>
          {t("templateSample.send")}
        </Key>
      </form>
    </article>
  );
}

function SaidText({ text }: Said) {
  const { t } = useText();
  return <p className={css["said"]}>{typeof text === "string" ? <bdi>{text}</bdi> : t(text.key)}</p>;
}

const MINUTE_MS = 60_000;

/** What a visitor may add to a post. */
const ADDITIONS = ["Something", "Video", "Article"] as const;
/** A sample's text is a key; what a visitor wrote stays as it is. */
type Said = {
  readonly by: string;
  readonly minutesAgo: number;
  readonly text: { readonly key: TextKey } | string;
};
type Post = Said & {
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

const SAMPLE_POSTS: readonly Post[] = [
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
const ACTIVITIES: readonly (readonly [by: string, minutesAgo: number, text: TextKey])[] = [
  [ELIF, 8, "templateSample.activityLiked"],
  [BORA, 47, "templateSample.activityCommented"],
  [MINA, 190, "templateSample.activityFollows"],
  ["Tarık Usta", 1_620, "templateSample.activityGroup"],
  ["Nora Lind", 4_400, "templateSample.activityLiked"],
];
