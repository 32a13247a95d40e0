import { type ByField, type FieldName, fieldNames, labels, mapFields } from '../../../shared/fields.js';
import type { ColumnChoice } from '../../protocol.js';

/** Other titles of the columns of each field in several languages, normalized with `normalizeTitle`. */
const synonyms: ByField<readonly string[]> = {
  id: [
    'idtext',
    'ids',
    'identifier',
    'number',
    'no',
    'plantid',
    'plantnumber',
    'plantno',
    'nr',
    'nummer',
    'kennung',
    'kennnummer',
    'pflanzenid',
    'pflanzennummer',
    'pflanzennr',
    'identifiant',
    'numero',
    'num',
    'idplante',
    'idplanta',
    'identificador',
    'codigo',
    'identificativo',
    'codice',
    'idpianta',
    'kenmerk',
    'plantnummer',
    'itemnumber',
    'itemno',
    'articlenumber',
    'sku',
    'artikelnummer',
    'artikelnr',
    'artnr',
    'inventarnummer',
    'reference',
    'numeroarticle',
    'referencia',
    'numerodearticulo',
    'numeroarticolo',
    'artikelcode',
  ],
  name: [
    'names',
    'plant',
    'plants',
    'plantname',
    'commonname',
    'species',
    'title',
    'pflanze',
    'pflanzenname',
    'bezeichnung',
    'art',
    'sorte',
    'nom',
    'plante',
    'nomdelaplante',
    'nomplante',
    'espece',
    'nombre',
    'planta',
    'nombredelaplanta',
    'nombreplanta',
    'especie',
    'nome',
    'pianta',
    'nomedellapianta',
    'specie',
    'naam',
    'plantnaam',
    'soort',
    'botanicalname',
    'scientificname',
    'latinname',
    'botanischername',
    'deutschername',
    'nomcommun',
    'nombrecomun',
    'nomecomune',
    'denominazione',
    'designation',
    'omschrijving',
  ],
  tag: [
    'tags',
    'type',
    'planttype',
    'category',
    'kind',
    'group',
    'label',
    'typ',
    'kategorie',
    'gruppe',
    'schlagwort',
    'etikett',
    'pflanzentyp',
    'etiquette',
    'categorie',
    'groupe',
    'genre',
    'famille',
    'family',
    'warengruppe',
    'familie',
    'rubrik',
    'familia',
    'famiglia',
    'rubriek',
    'etiqueta',
    'categoria',
    'tipo',
    'grupo',
    'clase',
    'gruppo',
    'etichetta',
    'groep',
  ],
};

/** Titles of names that mean tags if another column has the name, such as "Art" next to "Bezeichnung". */
const kinds = ['art', 'sorte', 'species', 'espece', 'especie', 'specie', 'soort'];

const fieldsByTitle = new Map<string, FieldName>();
// The field that tests add has none.
for (const field of fieldNames) for (const title of synonyms[field] ?? []) fieldsByTitle.set(title, field);
// Last, because the name of one field may be a synonym of another.
for (const field of fieldNames)
  for (const title of [field, labels[field]]) fieldsByTitle.set(normalizeTitle(title), field);

/** The field that a column title means, ignoring case, accents and punctuation. */
export function fieldOfTitle(title: string): FieldName | undefined {
  return fieldsByTitle.get(normalizeTitle(title));
}

/** Whether a title is the name of a field, and not only a word for it. */
export function isNameOfField(title: string): boolean {
  const names: readonly string[] = [...fieldNames, 'idtext'];
  return names.includes(normalizeTitle(title));
}

/** The columns of the fields by their titles. Exact names of fields take precedence. */
export function findTitledColumns(titles: readonly string[]): ColumnChoice {
  const known = titles.map(normalizeTitle);
  const find = (field: FieldName, isTaken: (title: string) => boolean = () => false) => {
    const exact = known.indexOf(normalizeTitle(field));
    if (exact !== -1) return exact;
    const found = known.findIndex((title) => fieldsByTitle.get(title) === field && !isTaken(title));
    return found === -1 ? undefined : found;
  };
  const isKind = (title: string) => kinds.includes(title);
  const columns = mapFields((field) => find(field));
  const name = find('name', isKind) ?? columns.name;
  // It has all digits, even if a program has rounded `id`.
  const idText = known.indexOf('idtext');
  const id = idText === -1 ? columns.id : idText;
  const kind = known.findIndex((title, column) => column !== name && isKind(title));
  return { ...columns, id, name, tag: columns.tag ?? (kind === -1 ? undefined : kind) };
}

function normalizeTitle(title: string): string {
  return title
    .slice(0, 100)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
