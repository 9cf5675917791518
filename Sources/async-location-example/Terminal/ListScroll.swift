/// The part of a list that a window shows, and the selected item, which stays in view while the
/// list changes around it. Pure.
struct ListScroll<ID: Hashable & Sendable>: Sendable {
  /// The items of the last frame, in their order.
  private var items: [ID] = []
  /// The number of items that the window has room for.
  private var rows = 0
  /// The first item that is shown.
  private var offset = 0
  /// The selected item and its place in `items`.
  private var selection: (id: ID, index: Int)?

  /// Nil until a key selects an item, and after Esc: the beginning of the list is shown then.
  var selected: ID? { selection?.id }

  /// Sets the items of the list, and the number of items that fit in the window.
  ///
  /// - Returns: The items to show.
  mutating func show(_ items: [ID], rows: Int) -> Range<Int> {
    let isAtBeginning = offset == 0
    (self.items, self.rows) = (items, max(0, rows))
    if let (id, index) = selection {
      if let new = items.firstIndex(of: id) {
        selection = (id, new)
        // Keeps the item in its row of the window, unless the beginning of the list and the item
        // are in view.
        if !isAtBeginning || new >= rows { offset += new - index }
      } else {
        // The selected item is gone: selects the item that is now at its index.
        select(index)
      }
    }
    clamp()
    return offset..<min(items.count, offset + self.rows)
  }

  /// Handles the keys that scroll; other keys have no effect.
  mutating func press(_ key: Key) {
    switch key {
    case .up, .character("k"): select((selection?.index ?? 0) - 1)
    case .down, .character("j"): select((selection?.index ?? -1) + 1)
    case .pageUp: turn(by: -rows)
    case .pageDown: turn(by: rows)
    case .home, .character("g"): select(0)
    case .end, .character("G"): select(items.count - 1)
    case .escape: (selection, offset) = (nil, 0)
    default: return
    }
    clamp()
  }

  /// Moves the window and the selection by a number of rows.
  private mutating func turn(by count: Int) {
    offset += count
    select((selection?.index ?? 0) + count)
  }

  private mutating func select(_ index: Int) {
    guard !items.isEmpty else {
      selection = nil
      return
    }
    let index = min(max(0, index), items.count - 1)
    selection = (items[index], index)
  }

  /// Keeps the window within the list, and the selected item within the window.
  private mutating func clamp() {
    if let index = selection?.index, rows > 0 {
      offset = min(max(offset, index - rows + 1), index)
    }
    offset = min(max(0, offset), max(0, items.count - rows))
    if selection == nil { offset = 0 }
  }
}
