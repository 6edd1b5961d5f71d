import type { FormEvent } from "react";
import { useState } from "react";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import type { IconName } from "../../../shared/ui/icon-paths.ts";
import { IconButton, Key } from "../../../shared/ui/key.tsx";
import { SAMPLE_PERSON } from "../sample-person.ts";
import { agoText } from "./ago-text.ts";
import { Panel } from "./panel.tsx";
import { PersonLine } from "./person-line.tsx";
import { PostCard } from "./post-card.tsx";
import css from "./profile.module.css";
import type { Post } from "./sample-posts.ts";
import { ACTIVITIES, ADDITIONS, SAMPLE_POSTS } from "./sample-posts.ts";

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
                <PersonLine name={by} small={agoText(minutesAgo, language)}>
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
