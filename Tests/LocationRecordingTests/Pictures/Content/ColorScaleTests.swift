import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct ColorScaleTests {
  @Test(
    arguments: [
      ([0.0, 20, 63], 5.0, true, [0.0, 10, 20, 30, 40, 50, 60, 70]),
      ([40, 63], 5, true, [40, 45, 50, 55, 60, 65]),
      ([60, 63], 5, true, [60, 61, 62, 63, 64, 65]), ([1.5], 5, true, [0, 1, 2, 3, 4, 5]),
      ([500, 505], 20, false, [490, 495, 500, 505, 510, 515]),
      ([-12, 37], 20, false, [-20, -10, 0, 10, 20, 30, 40]), ([], 5, true, []),
    ] as [([Double], Double, Bool, [Double])])
  func boundariesAreRound(
    values: [Double], leastSpan: Double, prefersZero: Bool, edges: [Double]
  ) {
    let scale = ColorScale(values, leastSpan: leastSpan, prefersZero: prefersZero)
    #expect(scale.edges == edges)
    #expect(!scale.isOpenBelow)
    #expect(!scale.isOpenAbove)
  }

  @Test func outliersDoNotStretchTheScale() {
    let values = (0..<1000).map { Double($0 % 50) } + [900]
    let scale = ColorScale(values, leastSpan: 5, prefersZero: true)
    #expect(scale.edges.last == 50)
    #expect(scale.isOpenAbove)
    #expect(scale.index(of: 900) == scale.classCount - 1)
  }

  @Test func classesSpreadOverAllColors() {
    let scale = ColorScale([0, 29], leastSpan: 5, prefersZero: true)
    #expect(scale.edges == [0, 5, 10, 15, 20, 25, 30])
    #expect([-1, 0, 4.9, 5, 29, 30, 99].map(scale.index) == [0, 0, 0, 1, 5, 5, 5])
    #expect((0..<6).map(scale.colorIndex) == [0, 1, 2, 4, 5, 6])
    let one = ColorScale([1], leastSpan: 0.5, prefersZero: false)
    #expect((0..<one.classCount).map(one.colorIndex).allSatisfy { (0..<7).contains($0) })
    #expect(ColorScale([], leastSpan: 5, prefersZero: true).index(of: 3) == nil)
  }

  /// A scale of increasing lightness can be read without color vision.
  @Test(arguments: [PictureStyle.light, PictureStyle.dark])
  func colorsGrowLighter(_ colors: [String]) {
    let luminances = colors.map(Self.luminance)
    #expect(colors.count == ColorScale.colorCount)
    #expect(zip(luminances, luminances.dropFirst()).allSatisfy { $1 > $0 * 1.15 })
  }

  /// The relative luminance of the Web Content Accessibility Guidelines.
  private static func luminance(_ color: String) -> Double {
    let number = Int(color.dropFirst(), radix: 16) ?? 0
    let parts = [number >> 16, number >> 8 & 255, number & 255].map { part -> Double in
      let value = Double(part) / 255
      return value <= 0.040_45 ? value / 12.92 : Self.power((value + 0.055) / 1.055)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  /// Raises a number to the power of 2.4.
  private static func power(_ base: Double) -> Double {
    Double.power(ofTen: 2.4 * Double.commonLogarithm(base))
  }
}
