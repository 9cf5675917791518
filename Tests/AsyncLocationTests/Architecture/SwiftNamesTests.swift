import TestSupport
import Testing

@Suite(.inTurn) struct SwiftNamesTests {
  private func names(_ source: String) -> [String] { SwiftNames(source.utf8).all.map(\.text) }

  @Test(arguments: [
    ("let a: Location", ["let", "a", "Location"]),
    ("a // Location\nb", ["a", "b"]),
    ("a /* B /* C */ D */ e", ["a", "e"]),
    (#"a "Location" b"#, ["a", "b"]),
    (#"a "\(B(c))D\(e ? "F" : "G")" h"#, ["a", "B", "c", "e", "h"]),
    (##"a #"B \(C) \#(D) "E""# f"##, ["a", "D", "f"]),
    ("a \"\"\"\n B \"C\" \\(D)\n \"\"\" e", ["a", "D", "e"]),
    (#"a "\"B" c"#, ["a", "c"]),
    ("#if canImport(Glibc)", ["if", "canImport", "Glibc"]),
  ])
  func commentsAndStringsContainNoNames(_ source: String, _ expected: [String]) {
    #expect(names(source) == expected)
  }

  @Test func everyKindOfImportIsFound() {
    let source = """
      import A
      @testable public import B
      @_spi(X) import struct C.D
      #if canImport(E)
        import E
      #endif
      // import F
      """
    let imports = SwiftNames(source.utf8).imports
    #expect(imports.map(\.text) == ["A", "B", "C", "E"])
    #expect(imports.map(\.line) == [1, 2, 3, 5])
  }

  @Test func typeDeclarationsAreFound() {
    let names = SwiftNames("struct A { enum B {} }\nextension C { final class D {} }".utf8)
    #expect(names.types(atTopLevelOnly: true).map(\.text) == ["A"])
    #expect(names.types(atTopLevelOnly: false).map(\.text) == ["A", "B", "D"])
  }
}
