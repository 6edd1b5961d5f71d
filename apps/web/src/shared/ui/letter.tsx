import { Avatar } from "@longarm/ui/avatar.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { dateTimeText } from "@longarm/ui/time/time-text.ts";
import css from "./letter.module.css";

/** Who of staff wrote it, and when. */
export function LetterFrom({ from, at }: { readonly from: string; readonly at: string }) {
  const { language } = useText();
  return (
    <div className={css["from"]}>
      <Avatar name={from} className={css["face"] ?? ""} />
      <div>
        <b>
          <bdi>{from}</bdi>
        </b>
        <p>
          <bdi className="num" dir="ltr">
            {dateTimeText(at, language)}
          </bdi>
        </p>
      </div>
    </div>
  );
}

/** What was written, in the language in which it was: each paragraph in its own direction. */
export function LetterText({ text }: { readonly text: string }) {
  return (
    <div className={css["text"]}>
      {text.split(/\n+/).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what was written never changes.
        <p key={index} dir="auto">
          {line}
        </p>
      ))}
    </div>
  );
}
