/** A field of a plant. */
export type Field = 'id' | 'name' | 'tag';

/** What the columns of each field are called in English, German, French and Spanish, as `normalizeTitle` gives it. */
const synonyms: Readonly<Record<Field, readonly string[]>> = {
  id: [
    ...['id', 'ids', 'identifier', 'number', 'no', 'plantid', 'plantnumber', 'plantno'],
    ...['nr', 'nummer', 'kennung', 'kennnummer', 'pflanzenid', 'pflanzennummer', 'pflanzennr'],
    ...['identifiant', 'numero', 'num', 'idplante', 'idplanta', 'identificador', 'codigo'],
  ],
  name: [
    ...['name', 'names', 'plant', 'plantname', 'species', 'title'],
    ...['pflanze', 'pflanzenname', 'bezeichnung', 'art'],
    ...['nom', 'plante', 'nomdelaplante', 'nomplante', 'espece'],
    ...['nombre', 'planta', 'nombredelaplanta', 'nombreplanta', 'especie'],
  ],
  tag: [
    ...['tag', 'tags', 'type', 'planttype', 'category', 'kind', 'group', 'label'],
    ...['typ', 'kategorie', 'gruppe', 'schlagwort', 'etikett', 'pflanzentyp'],
    ...['etiquette', 'categorie', 'groupe', 'genre'],
    ...['etiqueta', 'categoria', 'tipo', 'grupo', 'clase'],
  ],
};

const fieldsByTitle = new Map<string, Field>(
  (['id', 'name', 'tag'] as const).flatMap((field) =>
    synonyms[field].map((title) => [title, field] as const),
  ),
);

/** The field that the title of a column stands for, in any case, with or without accents and punctuation. */
export function fieldOfTitle(title: string): Field | undefined {
  return fieldsByTitle.get(normalizeTitle(title));
}

function normalizeTitle(title: string): string {
  return title
    .slice(0, 100)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
