import { type ByField, type FieldName, fieldNames, labels, mapFields } from '../../../shared/fields.js';
import type { ColumnChoice } from '../../protocol.js';

/** Headers are compared up to this length. */
const maxTitleLength = 100;

/**
 * Other headers of each field, as `normalizeTitle` returns them, in one text for each language: English, German, French, Spanish, Italian,
 * and Dutch.
 */
const synonyms: ByField<readonly string[]> = {
  id: [
    'ids,identifier,number,no,plantid,plantnumber,plantno,itemnumber,itemno,articlenumber,sku,reference,idtext',
    'nr,nummer,kennung,kennnummer,pflanzenid,pflanzennummer,pflanzennr,artikelnummer,artikelnr,artnr,inventarnummer',
    'identifiant,numero,num,idplante,numeroarticle',
    'idplanta,identificador,codigo,referencia,numerodearticulo',
    'identificativo,codice,idpianta,numeroarticolo',
    'kenmerk,plantnummer,artikelcode',
  ],
  name: [
    'names,plant,plants,plantname,commonname,species,title,botanicalname,scientificname,latinname,designation',
    'pflanze,pflanzenname,bezeichnung,art,sorte,botanischername,deutschername',
    'nom,plante,nomdelaplante,nomplante,espece,nomcommun',
    'nombre,planta,nombredelaplanta,nombreplanta,especie,nombrecomun',
    'nome,pianta,nomedellapianta,specie,nomecomune,denominazione',
    'naam,plantnaam,soort,omschrijving',
  ],
  tag: [
    'tags,type,planttype,category,kind,group,label,family',
    'typ,kategorie,gruppe,schlagwort,etikett,pflanzentyp,warengruppe,familie,rubrik',
    'etiquette,categorie,groupe,genre,famille',
    'etiqueta,categoria,tipo,grupo,clase,familia',
    'gruppo,etichetta,famiglia',
    'groep,rubriek',
  ],
};

/** Headers of names that mean tags if another column has the name, such as "Art" next to "Bezeichnung". */
const nameOrTagTitles = ['art', 'sorte', 'species', 'espece', 'especie', 'specie', 'soort'];

const fieldsByTitle = new Map<string, FieldName>();
// Fields that are added later have no synonyms.
for (const field of fieldNames)
  for (const titles of synonyms[field] ?? [])
    for (const title of titles.split(',')) fieldsByTitle.set(title, field);
// Last, so that names of fields take precedence over synonyms.
for (const field of fieldNames)
  for (const title of [field, labels[field]]) fieldsByTitle.set(normalizeTitle(title), field);

/** The field that a header means, ignoring case, accents, and punctuation. */
export function fieldOfTitle(title: string): FieldName | undefined {
  return fieldsByTitle.get(normalizeTitle(title));
}

/** Whether a header is the exact name of a field, and not a synonym. */
export function isNameOfField(title: string): boolean {
  const names: readonly string[] = [...fieldNames, 'idtext'];
  return names.includes(normalizeTitle(title));
}

/** Finds the columns of the fields by their headers. Exact names take precedence over synonyms. */
export function findTitledColumns(titles: readonly string[]): ColumnChoice {
  const known = titles.map(normalizeTitle);
  const find = (field: FieldName, isTaken: (title: string) => boolean = () => false) => {
    const exact = known.indexOf(normalizeTitle(field));
    if (exact !== -1) return exact;
    const found = known.findIndex((title) => fieldsByTitle.get(title) === field && !isTaken(title));
    return found === -1 ? undefined : found;
  };
  const isNameOrTag = (title: string) => nameOrTagTitles.includes(title);
  const columns = mapFields((field) => find(field));
  const name = find('name', isNameOrTag) ?? columns.name;
  // `idText` has all digits, even if a program rounded `id`.
  const idText = known.indexOf('idtext');
  const id = idText === -1 ? columns.id : idText;
  const second = known.findIndex((title, column) => column !== name && isNameOrTag(title));
  return { ...columns, id, name, tag: columns.tag ?? (second === -1 ? undefined : second) };
}

function normalizeTitle(title: string): string {
  return title
    .slice(0, maxTitleLength)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
