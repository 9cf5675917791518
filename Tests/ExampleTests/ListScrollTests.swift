import MockBackend
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct ListScrollTests {
  fileprivate enum Step {
    case key(Key)
    case keys([Key])
    case list([Int], rows: Int)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    fileprivate let steps: [Step]
    /// The indices of the shown items after the last step.
    let shown: Range<Int>
    /// The selected item after the last step.
    let selected: Int?
  }

  private static let ten = Array(0..<10)

  static let cases = [
    Case(
      testDescription: "nothing", steps: [.list([], rows: 4), .keys([.down, .end, .pageDown])],
      shown: 0..<0, selected: nil),
    Case(testDescription: "all fit", steps: [.list([1, 2], rows: 4)], shown: 0..<2, selected: nil),
    Case(
      testDescription: "all fit, and the last is selected",
      steps: [.list([1, 2], rows: 4), .key(.end)], shown: 0..<2, selected: 2),
    Case(
      testDescription: "exactly a page", steps: [.list([1, 2, 3], rows: 3), .key(.pageDown)],
      shown: 0..<3, selected: 3),
    Case(
      testDescription: "down begins at the first", steps: [.list(ten, rows: 4), .key(.down)],
      shown: 0..<4, selected: 0),
    Case(
      testDescription: "down scrolls at the last row",
      steps: [.list(ten, rows: 4), .keys(Array(repeating: .down, count: 6))], shown: 2..<6,
      selected: 5),
    Case(
      testDescription: "up scrolls at the first row",
      steps: [.list(ten, rows: 4), .key(.end), .keys(Array(repeating: .up, count: 5))],
      shown: 4..<8, selected: 4),
    Case(
      testDescription: "pages end with the list",
      steps: [.list(ten, rows: 4), .keys([.pageDown, .pageDown, .pageDown])], shown: 6..<10,
      selected: 9),
    Case(
      testDescription: "a page back", steps: [.list(ten, rows: 4), .keys([.end, .pageUp])],
      shown: 2..<6, selected: 5),
    Case(
      testDescription: "letters",
      steps: [.list(ten, rows: 4), .keys("Gkkjgj".map(Key.character))], shown: 0..<4, selected: 1),
    Case(
      testDescription: "ESC returns to the beginning",
      steps: [.list(ten, rows: 4), .keys([.end, .escape])], shown: 0..<4, selected: nil),
    Case(
      testDescription: "the selected item keeps its row while others come before it",
      steps: [.list(ten, rows: 4), .keys([.pageDown, .down]), .list([-2, -1] + ten, rows: 4)],
      shown: 6..<10, selected: 5),
    Case(
      testDescription: "the selected item keeps its row in another order",
      steps: [.list(ten, rows: 4), .keys([.pageDown, .down]), .list(ten.reversed(), rows: 4)],
      shown: 3..<7, selected: 5),
    Case(
      testDescription: "the beginning stays in view with an item of the first page",
      steps: [.list(ten, rows: 4), .key(.home), .list([-2, -1] + ten, rows: 4)], shown: 0..<4,
      selected: 0),
    Case(
      testDescription: "an item of the first page is followed out of it",
      steps: [.list(ten, rows: 4), .key(.home), .list(Array(-4..<0) + ten, rows: 4)],
      shown: 4..<8, selected: 0),
    Case(
      testDescription: "the selected item vanishes",
      steps: [.list(ten, rows: 4), .keys([.pageDown]), .list(ten.filter { $0 != 4 }, rows: 4)],
      shown: 4..<8, selected: 5),
    Case(
      testDescription: "the selected item vanishes at the end",
      steps: [.list(ten, rows: 4), .keys([.end]), .list(Array(0..<7), rows: 4)], shown: 3..<7,
      selected: 6),
    Case(
      testDescription: "all vanish", steps: [.list(ten, rows: 4), .key(.end), .list([], rows: 4)],
      shown: 0..<0, selected: nil),
    Case(
      testDescription: "a smaller window keeps the selected item",
      steps: [.list(ten, rows: 8), .keys([.down, .end, .up]), .list(ten, rows: 2)],
      shown: 7..<9, selected: 8),
    Case(
      testDescription: "a larger window has no empty rows",
      steps: [.list(ten, rows: 2), .key(.end), .list(ten, rows: 7)], shown: 3..<10, selected: 9),
    Case(
      testDescription: "a window without rows, and back",
      steps: [
        .list(ten, rows: 4), .keys([.end, .up]), .list(ten, rows: 0), .key(.up),
        .list(ten, rows: 3),
      ], shown: 6..<9, selected: 7),
  ]

  @Test(arguments: cases)
  func keysScrollTheList(_ test: Case) {
    var (scroll, list, rows) = (ListScroll<Int>(), [Int](), 0)
    for step in test.steps {
      switch step {
      case .key(let key): scroll.press(key)
      case .keys(let keys): for key in keys { scroll.press(key) }
      case .list(let new, let height): (list, rows) = (new, height)
      }
      _ = scroll.show(list, rows: rows)
    }
    #expect(scroll.show(list, rows: rows) == test.shown)
    #expect(scroll.selected == test.selected)
  }

  @Test(.longWork) func showsTheSelectedItemOfAnyList() {
    var random = SplitMix64(seed: 1)
    let keys: [Key] = [.up, .down, .pageUp, .pageDown, .home, .end, .escape]
    var scroll = ListScroll<Int>()
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...30, using: &random)
      let list = Array((0..<40).shuffled(using: &random).prefix(count))
      let rows = Int.random(in: 0...12, using: &random)
      for _ in 0..<3 {
        let shown = scroll.show(list, rows: rows)
        #expect(shown.count == min(rows, count))
        if let selected = scroll.selected, rows > 0 { #expect(list[shown].contains(selected)) }
        scroll.press(keys.randomElement(using: &random) ?? .up)
      }
    }
  }
}
