import { strToU8, zipSync } from 'fflate';

const OOXML = 'application/vnd.openxmlformats-officedocument';
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const SLIDE = 'http://schemas.openxmlformats.org/presentationml/2006/main';
const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const REFERENCES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export const DOCX = `${OOXML}.wordprocessingml.document`;
export const XLSX = `${OOXML}.spreadsheetml.sheet`;
export const PPTX = `${OOXML}.presentationml.presentation`;

/** An archive with the file that programs look for first. */
export function archive(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const types = `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`;
  const entries = Object.entries({ '[Content_Types].xml': types, ...files });
  return Buffer.from(zipSync(Object.fromEntries(entries.map(([name, data]) => [name, bytesOf(data)]))));
}

const bytesOf = (data: string | Uint8Array) => (typeof data === 'string' ? strToU8(data) : data);

/** A document of Word. `extra` is XML after its paragraphs, `files` are other files inside it. */
export function docx(paragraphs: readonly string[], extra = '', files: Readonly<Record<string, string>> = {}): Buffer {
  const body = paragraphs.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('');
  return archive({
    'word/document.xml': `${HEAD}<w:document xmlns:w="${WORD}"><w:body>${body}${extra}</w:body></w:document>`,
    ...files,
  });
}

/** A document of Excel with one sheet. */
export function xlsx(name: string, rows: readonly (readonly (string | number)[])[]): Buffer {
  const cells = (row: readonly (string | number)[], index: number) =>
    row.map((value, column) => {
      const at = `${String.fromCharCode(65 + column)}${index + 1}`;
      if (typeof value === 'number') return `<c r="${at}"><v>${value}</v></c>`;
      return `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
    });
  const data = rows.map((row, index) => `<row r="${index + 1}">${cells(row, index).join('')}</row>`).join('');
  return archive({
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${SHEET}" xmlns:r="${REFERENCES}"><sheets><sheet name="${name}" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${REFERENCES}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `${HEAD}<worksheet xmlns="${SHEET}"><sheetData>${data}</sheetData></worksheet>`,
  });
}

/** A document of PowerPoint with a slide for each text. */
export function pptx(slides: readonly string[]): Buffer {
  const files = slides.map((text, index) => [
    `ppt/slides/slide${index + 1}.xml`,
    `${HEAD}<p:sld xmlns:p="${SLIDE}" xmlns:a="${DRAWING}"><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
  ]);
  return archive({
    'ppt/presentation.xml': `${HEAD}<p:presentation xmlns:p="${SLIDE}"/>`,
    ...Object.fromEntries(files),
  });
}
