import type { ReactNode } from "react";
import { useId } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { Logo } from "../../../shared/ui/logo.tsx";
import { useRoom } from "../page-layouts/use-room.ts";
import css from "./auth-frame.module.css";

/** One centred card; a card along the end edge beside an introduction; one wide card with the introduction in its end half. */
export type FrameShape = "card" | "split" | "wide";

/** The room at night with a card in it. Its own palette is night, since its picture is. */
export function AuthFrame(props: {
  readonly shape: FrameShape;
  readonly heading: string;
  readonly about?: string | undefined;
  /** Stands above the heading instead of the logo. */
  readonly head?: ReactNode;
  readonly children: ReactNode;
}) {
  const { shape, heading, about, head, children } = props;
  const id = useId();
  const room = useRoom();
  return (
    <div ref={room} className={css["stage"]} data-shape={shape} data-palette="night">
      {shape === "split" && <Introduction />}
      <div className={css["card"]}>
        <section className={css["inner"]} aria-labelledby={id}>
          {head ?? <Logo className={css["logo"] ?? ""} />}
          <h1 id={id}>{heading}</h1>
          {about !== undefined && <p className={css["about"]}>{about}</p>}
          {children}
        </section>
        {shape === "wide" && <Introduction />}
      </div>
    </div>
  );
}

function Introduction() {
  const { t } = useText();
  return (
    <div className={css["introduction"]}>
      <p>{t("templateAuth.welcome")}</p>
      <p>{t("templateAuth.welcomeAbout")}</p>
    </div>
  );
}
