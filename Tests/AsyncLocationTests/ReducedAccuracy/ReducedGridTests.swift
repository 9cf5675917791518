import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct ReducedGridTests {
  private let grid = ReducedGrid(key: Globe.key(1))

  @Test(.longWork) func everyPositionLiesInItsCell() {
    var random = SplitMix64(seed: 20)
    for home in Globe.homes(20_000, using: &random) {
      let cell = grid.cell(of: home)
      #expect(cell.containsForStay(home))
      #expect(grid.cell(of: cell.centre) == cell, "a centre lies in its own cell")
    }
  }

  /// Walks outwards from the centres to the end of the margin: no place of a cell is farther away
  /// than ``ReducedGrid/reach`` on the ellipsoid, and every place within 4.2 km is in the cell or
  /// its margin.
  @Test(.longWork) func cellSizesAreBounded() throws {
    var random = SplitMix64(seed: 21)
    var (farthest, shortest) = (0.0, Double.infinity)
    let pole = grid.axes.pole
    let antipole = SurfaceNormal(x: -pole.x, y: -pole.y, z: -pole.z)
    let places =
      (0..<400).map { _ in Globe.anywhere(using: &random) }
      + [pole, antipole]
      + (1...60).map { Globe.moved(pole, Double($0) * 1_500, along: Globe.ground(pole).0) }
    for place in places {
      let cell = grid.cell(of: place)
      let centre = try Globe.coordinate(cell.centre)
      let (east, north) = Globe.ground(cell.centre)
      for angle in 0..<180 {
        let turn = Angle(degrees: Double(angle) * 2)
        let direction = SurfaceNormal.sum(east, turn.cosine, north, turn.sine, east, 0)
        var (inside, outside) = (0.0, 12_000.0)
        #expect(!cell.containsForStay(Globe.moved(cell.centre, outside, along: direction)))
        while outside - inside > 1 {
          let middle = (inside + outside) / 2
          if cell.containsForStay(Globe.moved(cell.centre, middle, along: direction)) {
            inside = middle
          } else {
            outside = middle
          }
        }
        shortest = min(shortest, inside)
        let edge = try Globe.coordinate(Globe.moved(cell.centre, inside, along: direction))
        farthest = max(farthest, centre.distance(to: edge), cell.coordinate.distance(to: edge))
      }
    }
    // Half a cell and the margin are 5 km, and somewhat less beside a cap.
    #expect(shortest > 4_200)
    #expect(farthest < ReducedGrid.reach)
    #expect(farthest > ReducedGrid.reach - 200, "the constant is no larger than it must be")
  }

  @Test(.longWork) func cellsHaveEqualAreas() {
    // The mean area of the cells in squares of 200 km by 200 km, from points 1 km apart.
    var random = SplitMix64(seed: 22)
    for place in Globe.homes(20, using: &random) {
      let (east, north) = Globe.ground(place)
      var cells: Set<ReducedCell> = []
      let side = 200_000.0
      for row in 0..<200 {
        for column in 0..<200 {
          let along = Globe.moved(place, (Double(row) - 100) * 1_000, along: east)
          cells.insert(
            grid.cell(of: Globe.moved(along, (Double(column) - 100) * 1_000, along: north)))
        }
      }
      let area = side * side / Double(cells.count)
      #expect((0.85...1.05).contains(area / 25e6), "\(area)")
    }
  }

  @Test(.longWork) func changingCellsRequiresTheMargin() throws {
    var random = SplitMix64(seed: 23)
    for home in Globe.homes(2_000, using: &random) {
      let (east, north) = Globe.ground(home)
      let turn = Angle(degrees: .random(in: 0..<360, using: &random))
      let direction = SurfaceNormal.sum(east, turn.cosine, north, turn.sine, east, 0)
      var cells = ReportedCells()
      let first = cells.cell(for: home, in: grid)
      var (inside, outside) = (0.0, 20_000.0)
      while outside - inside > 0.1 {
        let middle = (inside + outside) / 2
        var probe = cells
        let place = Globe.moved(home, middle, along: direction)
        let isFirst = probe.cell(for: place, after: first, in: grid) == first
        if isFirst { inside = middle } else { outside = middle }
      }
      #expect(inside > ReducedGrid.margin * 0.97)
      let second = cells.cell(
        for: Globe.moved(home, outside, along: direction), after: first, in: grid)
      #expect(second != first)
      // Jitter does not change the cell.
      let near = Globe.moved(home, outside - 50, along: direction)
      #expect(cells.cell(for: near, after: second, in: grid) == second)
      // The place has the same answer again, even after a pause elsewhere.
      #expect(cells.cell(for: home, after: second, in: grid) == first)
      let far = cells.cell(for: Globe.moved(home, 50_000, along: direction), in: grid)
      #expect(cells.cell(for: home, after: far, in: grid) == first)
    }
  }

  @Test(.longWork) func outputIsNoBetterThanChance() throws {
    var random = SplitMix64(seed: 24)
    var errors = Globe.homes(20_000, using: &random).map {
      Globe.distance(grid.cell(of: $0).centre, $0)
    }
    errors.sort()
    // In a square of 5 km, the mean distance from the centre is 0.3826 sides, and a circle with a
    // radius of 500 m covers a thirtieth of the area.
    let mean = errors.reduce(0, +) / Double(errors.count)
    #expect((1_850...1_980).contains(mean))
    let near = Double(errors.count { $0 < 500 }) / Double(errors.count)
    #expect((0.026...0.037).contains(near))
    #expect((1_800...2_050).contains(errors[errors.count / 2]))
  }

  @Test func differentKeysMakeDifferentGrids() throws {
    var random = SplitMix64(seed: 25)
    let other = ReducedGrid(key: Globe.key(2))
    let sameGrid = ReducedGrid(key: Globe.key(1))
    var shared = 0
    for home in Globe.homes(2_000, using: &random) {
      let coordinate = grid.cell(of: home).coordinate
      #expect(sameGrid.cell(of: home).coordinate == coordinate)
      if coordinate.distance(to: other.cell(of: home).coordinate) < 100 { shared += 1 }
    }
    #expect(shared < 10)
  }

  /// The latitudes and longitudes of places and of their cells, from an earlier release: a key must
  /// always produce the same grid.
  static let golden: [(Double, Double, Double, Double)] = [
    (0, 0, 0.0215, 0.014),
    (51.4779, 0, 51.4653, 0.0053),
    (-34.9285, 138.6007, -34.9167, 138.5794),
    (90, 0, 89.9769, -178.4552),
    (-90, 0, -89.9731, -97.6022),
    (64.15, -21.94, 64.1434, -21.9336),
    (-16.8, 180, -16.8171, -179.999),
    (-16.8, -180, -16.8171, -179.999),
    (35.68, 139.69, 35.6722, 139.7129),
    (40.7128, -74.006, 40.7087, -74.0311),
  ]

  @Test(arguments: golden)
  func theGridNeverChanges(_ place: (Double, Double, Double, Double)) throws {
    let key = try ReducedAccuracyKey(bytes: (0..<32).map { UInt8($0 * 7 % 256) })
    let position = SurfaceNormal(try Coordinate(latitude: place.0, longitude: place.1))
    let coordinate = ReducedGrid(key: key).cell(of: position).coordinate
    #expect(coordinate == (try Coordinate(latitude: place.2, longitude: place.3)))
  }
}
