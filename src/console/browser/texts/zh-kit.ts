/** The components of the kit, and the labs. */
const texts: Readonly<Record<string, string>> = {
  Components: '组件',
  '{count} done.': '已完成 {count} 项。',
  Now: '当前',
  Tables: '表格',
  'It does not exist any more.': '它已不存在。',
  Flow: '流程',
  'All components': '所有组件',
  'Name contains': '名称包含',
  Back: '返回',
  '{first} to {last} of {total}': '第 {first} 至 {last}，共 {total}',
  'No component of the kit has keys in this store.': '此存储中没有组件的键。',
  'Search again': '重新搜索',
  'The store is being searched.': '正在搜索存储。',
  'Open by name': '按名称打开',
  Component: '组件',
  Prefix: '前缀',
  'Nothing on this page.': '此页没有内容。',
  'Page {number}': '第 {number} 页',
  yes: '是',
  no: '否',
};

export default texts;
