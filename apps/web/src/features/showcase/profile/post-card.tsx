import type { FormEvent } from "react";
import { useRef, useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { Icon } from "../../../shared/ui/icon.tsx";
import { Key } from "../../../shared/ui/key.tsx";
import { SAMPLE_PERSON } from "../sample-person.ts";
import { agoText } from "./ago-text.ts";
import { PersonLine } from "./person-line.tsx";
import { Picture } from "./picture.tsx";
import css from "./profile.module.css";
import type { Post, Said } from "./sample-posts.ts";

/** A post with its picture, its counts and its comments. */
export function PostCard({ post, onChange }: { readonly post: Post; readonly onChange: (post: Post) => void }) {
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
      <PersonLine name={post.by} small={agoText(post.minutesAgo, language)}>
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
            <PersonLine name={one.by} small={agoText(one.minutesAgo, language)}>
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
