import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// F43: averaging outputs of a stationary receiver reveals no more than one output.
@Suite(.inTurn)
struct AveragingTests {
  /// Errors in metres.
  struct Errors: Sendable {
    /// The mean error of single outputs.
    var ofOne = 0.0
    /// The error of the mean of all outputs.
    var ofAverage = 0.0
  }

  /// Every sample is the first of a time step, so that only the margin keeps the cell.
  @Test(
    "F43: the mean of 10⁴ samples at each of up to 10⁴ places is no more accurate",
    arguments: [(5.0, 1_000), (30, 10_000), (500, 1_000)])
  func averagingDoesNotImproveTheAccuracy(_ jitter: Double, _ homes: Int) async {
    let (samples, parts) = (10_000, 4)
    let errors = await withTaskGroup(of: Errors.self) { group in
      for part in 0..<parts {
        group.addTask(executorPreference: LongWork.shared) {
          Self.errors(homes: homes / parts, samples: samples, jitter: jitter, seed: UInt64(part))
        }
      }
      return await group.reduce(into: Errors()) {
        $0.ofOne += $1.ofOne / Double(homes)
        $0.ofAverage += $1.ofAverage / Double(homes)
      }
    }
    #expect((1_700...2_200).contains(errors.ofOne), "\(errors)")
    #expect(errors.ofAverage >= 0.95 * errors.ofOne, "\(errors)")
    print("F43: \(homes) homes, \(samples) samples, jitter \(jitter) m:", errors)
  }

  /// Errors in metres, summed over the places.
  static func errors(homes: Int, samples: Int, jitter: Double, seed: UInt64) -> Errors {
    var random = SplitMix64(seed: seed)
    let grid = ReducedGrid(key: Globe.key(seed))
    let deviates = Globe.deviates(1 << 16, using: &random).map { $0 * jitter / Globe.radius }
    return deviates.withUnsafeBufferPointer { deviates in
      var errors = Errors()
      for home in Globe.homes(homes, using: &random) {
        let (east, north) = Globe.ground(home)
        // Two walks through the deviates, with strides coprime to their number.
        var (first, second) = (random.next(), random.next())
        let (firstStride, secondStride) = (random.next() | 1, random.next() | 1)
        var cells = ReportedCells()
        var cell = cells.cell(
          for: Globe.moved(
            home, deviates[Int(truncatingIfNeeded: first & 0xffff)] * Globe.radius, along: east),
          in: grid)
        var error = Globe.distance(cell.centre, home)
        var (x, y, z, ofOne) = (0.0, 0.0, 0.0, 0.0)
        for _ in 0..<samples {
          let a = deviates[Int(truncatingIfNeeded: first & 0xffff)]
          let b = deviates[Int(truncatingIfNeeded: second & 0xffff)]
          first &+= firstStride
          second &+= secondStride
          let c = 1 - (a * a + b * b) / 2
          let position = SurfaceNormal(
            x: home.x * c + east.x * a + north.x * b, y: home.y * c + east.y * a + north.y * b,
            z: home.z * c + east.z * a + north.z * b)
          // The reducer's other calls are left out: they take most of the time and do not affect
          // the cell.
          if !cell.containsForStay(position) {
            cell = cells.cell(for: position, after: cell, in: grid)
            error = Globe.distance(cell.centre, home)
          }
          x += cell.centre.x
          y += cell.centre.y
          z += cell.centre.z
          ofOne += error
        }
        let average = Globe.unit(SurfaceNormal(x: x, y: y, z: z))
        errors.ofAverage += Globe.distance(average, home)
        errors.ofOne += ofOne / Double(samples)
      }
      return errors
    }
  }
}
