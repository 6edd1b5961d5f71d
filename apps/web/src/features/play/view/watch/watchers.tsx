import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { Icon } from "../../../../shared/ui/icon.tsx";
import { usePlay } from "../play-context.ts";
import css from "./watchers.module.css";

/** How many watch this machine; nothing while nobody does. */
export function Watchers() {
  const { t } = useText();
  const { session } = usePlay();
  const count = useLive(session.state, ({ spectators }) => spectators);
  if (count === 0) return null;
  const said = t("play.watchers", { count });
  return (
    <span className={css["watchers"]} role="img" aria-label={said} title={said} data-watchers={count}>
      <Icon name="eye" />
      <span className="num">{count}</span>
    </span>
  );
}
