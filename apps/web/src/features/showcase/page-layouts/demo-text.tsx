import { useText } from "../../../shared/i18n/use-text.ts";
import floor from "../../../shared/ui/art/floor.webp";
import css from "./demo.module.css";

/** What fills the page layouts: a picture, a heading, some sentences and one that is quoted. */
export function DemoText({ title }: { readonly title?: string | undefined }) {
  const { t } = useText();
  return (
    <article className={css["text"]}>
      <img src={floor} alt={t("demo.photo")} width={1600} height={1000} loading="lazy" decoding="async" />
      <h2>{title ?? t("demo.title")}</h2>
      <p className={css["lead"]}>{t("demo.subtitle")}</p>
      <p>{t("demo.first")}</p>
      <p>{t("demo.second")}</p>
      <blockquote>
        <p>{t("demo.quote")}</p>
        <footer>{t("demo.quoted")}</footer>
      </blockquote>
      <p>{t("demo.third")}</p>
    </article>
  );
}

/** A blank page: nothing but what it says. */
export function BlankPage() {
  return (
    <div className={css["blank"]}>
      <DemoText />
    </div>
  );
}
